# attack: two functions that call each other
# property: P8
# expect: V-64 call-not-ordered bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	call other
	ret
other:
bad:	call probe
	ret
