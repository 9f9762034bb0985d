# attack: moves a register to rsp
# property: P3
# expect: V-12 operand-not-permitted bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, rsp
bad:	mov rsp, rax
	ret
