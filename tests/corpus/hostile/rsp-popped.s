# attack: pops into rsp
# property: P3
# expect: V-12 operand-not-permitted bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rsi
bad:	pop rsp
	ret
