# attack: jumps to what a register happens to hold
# property: P9
# expect: V-50 read-of-unset-register bad
# expect: V-27 jump-not-through-table bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	jmp rdx
