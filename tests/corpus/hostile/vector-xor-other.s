# attack: xor with a register of the host's
# property: P9
# expect: V-50 read-of-unset-register bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	pcmpeqd xmm0, xmm0
bad:	pxor xmm0, xmm1
	movups xmmword ptr [rsi], xmm0
	ret
