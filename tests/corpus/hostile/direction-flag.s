# attack: sets the direction flag
# property: P5
# expect: V-10 instruction-not-permitted bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	std
	ret
