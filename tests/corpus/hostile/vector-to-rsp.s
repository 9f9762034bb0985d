# attack: the stack pointer from a vector register
# property: P3
# expect: V-12 operand-not-permitted bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	movq xmm0, rsi
bad:	movq rsp, xmm0
	ret
