# attack: writes the low half of rsp
# property: P3
# class: zero-extension-32
# expect: V-12 operand-not-permitted bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	sub esp, 8
	add rsp, 8
	ret
