# attack: copies by a repeated string instruction
# property: P4
# expect: V-10 instruction-not-permitted bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov ecx, 64
bad:	rep movsb
	ret
