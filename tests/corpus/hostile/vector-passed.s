# attack: a function reads a vector register that its caller has set
# property: P9
# expect: V-50 read-of-unset-register bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	pxor xmm0, xmm0
	call callee
	ret
callee:
bad:	movups xmmword ptr [rsi], xmm0
	ret
