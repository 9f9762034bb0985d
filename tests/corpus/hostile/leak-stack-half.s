# attack: sets four bytes of a slot and reads eight
# property: P9
# expect: V-51 load-of-unset-stack bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov dword ptr [rsp - 8], 1
bad:	mov rax, qword ptr [rsp - 8]
	mov qword ptr [rsi], rax
	ret
