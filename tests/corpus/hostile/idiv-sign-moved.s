# attack: rdx is the sign of rax, plus one
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
	inc rdx
bad:	idiv rcx
	ret
