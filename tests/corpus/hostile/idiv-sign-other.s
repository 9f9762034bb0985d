# attack: rdx was the sign of rax, and is something else now
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
	mov rdx, qword ptr [rdi + 8]
bad:	idiv rcx
	ret
