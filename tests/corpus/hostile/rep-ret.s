# attack: a return with a repeat prefix
# property: P4
# class: prefix-games
# expect: V-11 prefix-not-permitted bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	.byte 0xf3, 0xc3
