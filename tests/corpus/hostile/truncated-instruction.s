# attack: the text ends inside an instruction
# property: P6
# class: instruction-overlap
# expect: V-10 instruction-not-permitted bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	ret
bad:	.byte 0x48, 0xb8, 1, 2
