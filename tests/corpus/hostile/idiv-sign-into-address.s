# attack: the sign of the dividend is added to an address; rdx then has the sign's identity, as an offset
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
	add rdx, rsi
bad:	idiv rcx
	ret
