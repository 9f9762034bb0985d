# attack: an aligned store to what is not aligned
# property: P10
# expect: V-37 vector-access-misaligned bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	pxor xmm0, xmm0
bad:	movdqa xmmword ptr [rsi + 33], xmm0
	ret
