# attack: edx is the sign of eax, the division is of 64 bits
# property: P10
# class: bounds-32-64
# expect: V-53 quotient-may-overflow bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	cdq
	mov ecx, 1
bad:	idiv rcx
	ret
