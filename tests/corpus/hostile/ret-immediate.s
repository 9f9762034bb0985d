# attack: returns and drops eight bytes of its caller
# property: P3
# class: prefix-games
# expect: V-12 operand-not-permitted bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	ret 8
