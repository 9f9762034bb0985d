# attack: a REX.W without effect on padding
# property: P4
# class: prefix-games
# expect: V-11 prefix-not-permitted bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	ret
bad:	.byte 0x48, 0xcc
