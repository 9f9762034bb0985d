# attack: loads a segment register
# property: P4
# expect: V-12 operand-not-permitted bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, 1
bad:	mov fs, ax
	ret
