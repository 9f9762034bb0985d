# attack: sixteen bytes loaded from the stack, one of them never set
# property: P9
# expect: V-51 load-of-unset-stack bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	pxor xmm0, xmm0
	movups xmmword ptr [rsp - 17], xmm0
bad:	movaps xmm0, xmmword ptr [rsp - 24]
	movups xmmword ptr [rsi], xmm0
	ret
