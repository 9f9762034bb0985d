# attack: one instruction more than the limit
# property: P8
# expect: V-63 too-many-instructions probe
# state: 64
# max-insns: 3
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	nop
	nop
	nop
	ret
