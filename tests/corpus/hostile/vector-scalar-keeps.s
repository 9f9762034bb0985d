# attack: a move of four bytes between vector registers keeps twelve of the host's
# property: P9
# expect: V-50 read-of-unset-register bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	movss xmm1, dword ptr [rsi]
	movss xmm0, xmm1
bad:	movups xmmword ptr [rsi], xmm0
	ret
