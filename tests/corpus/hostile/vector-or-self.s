# attack: or of a register with itself is what it held
# property: P9
# expect: V-50 read-of-unset-register bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	por xmm0, xmm0
	movups xmmword ptr [rsi], xmm0
	ret
