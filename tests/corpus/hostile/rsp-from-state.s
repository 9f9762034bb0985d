# attack: pivots the stack to the state
# property: P3
# expect: V-12 operand-not-permitted bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	lea rsp, [rsi + 64]
	ret
