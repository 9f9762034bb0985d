# attack: a jump with an operand-size prefix: vendors differ in its length
# property: P6
# class: prefix-games
# expect: V-11 prefix-not-permitted bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	.byte 0x66, 0xe9, 0, 0, 0, 0
	ret
