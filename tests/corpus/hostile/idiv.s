# attack: divides the least number by -1
# property: P10
# expect: V-53 quotient-may-overflow bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	cqo
	mov rcx, -1
bad:	idiv rcx
	ret
