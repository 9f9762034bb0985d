# attack: returns with one byte of rbp changed
# property: P5
# class: partial-register
# expect: V-42 callee-saved-register-changed bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov bpl, 1
bad:	ret
