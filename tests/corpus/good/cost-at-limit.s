# shows: as many instructions as the limit
# rules: V-63
# state: 64
# max-insns: 4
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	nop
	nop
	nop
	ret
