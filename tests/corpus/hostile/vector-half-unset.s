# attack: stores a vector register whose lower half alone was loaded
# property: P9
# expect: V-50 read-of-unset-register bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	movlps xmm0, qword ptr [rsi]
bad:	movups xmmword ptr [rsi], xmm0
	ret
