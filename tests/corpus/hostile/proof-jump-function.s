# attack: jumps to a block of another function
# property: P6
# expect: V-21 branch-to-other-function bad
# state: 64
# proof: 2 @callee 0 2 .block @callee 0 0 .block @middle 0 0 @probe 0 1 .block @probe 0 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	jmp middle
	int3
callee:	nop
middle:	ret
