# attack: stores what a vector register held at the entry
# property: P9
# expect: V-50 read-of-unset-register bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	movups xmmword ptr [rsi], xmm3
	ret
