# attack: a callee-saved register goes through a vector register
# property: P9
# expect: V-50 read-of-unset-register bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	movq xmm0, rbx
	movups xmmword ptr [rsi], xmm0
	ret
