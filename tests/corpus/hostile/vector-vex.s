# attack: a VEX encoding, which zeroes what the host has in the upper half of a ymm register
# property: P4
# expect: V-10 instruction-not-permitted bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, 1
bad:	vpxor xmm0, xmm0, xmm0
	ret
