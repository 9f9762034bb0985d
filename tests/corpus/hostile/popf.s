# attack: loads the flags register
# property: P5
# expect: V-10 instruction-not-permitted bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push 0x400
bad:	popfq
	ret
