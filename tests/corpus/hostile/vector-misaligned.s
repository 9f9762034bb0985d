# attack: an aligned load of what is not aligned
# property: P10
# expect: V-37 vector-access-misaligned bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	movaps xmm0, xmmword ptr [rsi + 8]
	ret
