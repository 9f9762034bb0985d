# attack: indexes the state by what an import returns
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
# allow: ward_clock
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rsi
	mov edi, 0
	call qword ptr [rip + ward_clock@GOTPCREL]
	pop rsi
bad:	mov byte ptr [rsi + rax], 1
	ret
