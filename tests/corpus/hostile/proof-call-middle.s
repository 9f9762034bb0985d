# attack: calls the middle of a function
# property: P6
# expect: V-21 call-into-function bad
# state: 64
# proof: 2 @callee 0 2 .block @callee 0 0 .block @middle 0 0 @probe 0 1 .block @probe 0 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	call middle
	ret
callee:	nop
middle:	ret
