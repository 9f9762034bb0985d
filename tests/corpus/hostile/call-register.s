# attack: calls through a register
# property: P6
# expect: V-22 indirect-branch bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	lea rax, [rip + probe]
bad:	call rax
	ret
