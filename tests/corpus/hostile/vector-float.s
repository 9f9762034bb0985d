# attack: arithmetic of floating point
# property: P4
# expect: V-10 instruction-not-permitted bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	pxor xmm0, xmm0
bad:	addps xmm0, xmm0
	ret
