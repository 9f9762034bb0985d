# attack: sixteen bytes, one of which lies below the red zone
# property: P3
# expect: V-33 stack-below-frame bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	pxor xmm0, xmm0
bad:	movups xmmword ptr [rsp - 129], xmm0
	ret
