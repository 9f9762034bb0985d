# attack: bytes in the text that are no instruction
# property: P6
# expect: V-10 instruction-not-permitted bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	ret
bad:	.byte 0x06
