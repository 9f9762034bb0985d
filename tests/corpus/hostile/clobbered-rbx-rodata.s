# attack: returns with rbx pointing to constants
# property: P4
# expect: V-42 callee-saved-register-changed bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	lea rbx, [rip + constant]
bad:	ret
	.section .rodata
constant:
	.quad 1
