# attack: rdx is the sign of what rax held before
# property: P10
# class: sign-extension
# expect: V-53 quotient-may-overflow bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	cqo
	mov rax, qword ptr [rdi + 8]
	mov ecx, 1
bad:	idiv rcx
	ret
