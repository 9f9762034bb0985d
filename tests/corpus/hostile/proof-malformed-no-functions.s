# attack: a proof of no functions
# property: P3
# expect: V-04 proof-malformed -
# ends: the number of functions
# state: 64
# proof: 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	ret
