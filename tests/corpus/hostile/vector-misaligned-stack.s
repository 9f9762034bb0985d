# attack: an aligned store to the stack, whose return address is at a multiple of 8
# property: P10
# expect: V-37 vector-access-misaligned bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	pxor xmm0, xmm0
bad:	movaps xmmword ptr [rsp - 32], xmm0
	ret
