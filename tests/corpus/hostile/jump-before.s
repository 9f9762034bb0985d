# attack: jumps to before the text
# property: P6
# expect: V-20 branch-outside-text bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	.byte 0xe9
	.long -0x2000
