# attack: reads a vector register after a call of a function that writes it
# property: P9
# expect: V-50 read-of-unset-register bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	pxor xmm0, xmm0
	push rsi
	call callee
	pop rsi
bad:	movups xmmword ptr [rsi], xmm0
	ret
callee:
	pcmpeqd xmm0, xmm0
	ret
