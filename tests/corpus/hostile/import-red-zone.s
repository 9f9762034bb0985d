# attack: reads after the call what it put below rsp before
# property: P9
# expect: V-51 load-of-unset-stack bad
# state: 64
# allow: ward_clock
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rsi
	mov qword ptr [rsp - 8], 1
	mov edi, 0
	call qword ptr [rip + ward_clock@GOTPCREL]
bad:	mov rax, qword ptr [rsp - 8]
	pop rsi
	mov qword ptr [rsi], rax
	ret
