# attack: adds a register to rsp
# property: P3
# expect: V-12 operand-not-permitted bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, 8
bad:	sub rsp, rax
	add rsp, 8
	ret
