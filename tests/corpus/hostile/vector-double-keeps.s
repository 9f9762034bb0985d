# attack: a move of eight bytes between vector registers keeps eight of the host's
# property: P9
# expect: V-50 read-of-unset-register bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	movsd xmm1, qword ptr [rsi]
	movsd xmm0, xmm1
bad:	movhps qword ptr [rsi], xmm0
	ret
