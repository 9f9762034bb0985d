# attack: the dividend is added to an address, which then has the identity of what the sign was taken of, as an offset
# property: P10
# expect: V-53 quotient-may-overflow bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	mov ecx, 1
	cqo
	add rax, rsi
bad:	idiv rcx
	ret
