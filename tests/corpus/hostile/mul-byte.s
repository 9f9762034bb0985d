# attack: mul of 8 bits has no row
# property: P4
# expect: V-12 operand-not-permitted bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, 5
bad:	mul al
	ret
