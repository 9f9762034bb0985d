# attack: returns with rbx changed
# property: P5
# expect: V-42 callee-saved-register-changed bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	xor ebx, ebx
bad:	ret
