# attack: the last of a word's two bytes lies behind the state
# property: P1
# expect: V-31 load-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	pxor xmm0, xmm0
bad:	pinsrw xmm0, word ptr [rsi + 63], 0
	ret
