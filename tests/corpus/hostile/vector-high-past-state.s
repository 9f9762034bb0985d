# attack: the upper half of a vector register is stored past the state
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	pxor xmm0, xmm0
bad:	movhps qword ptr [rsi + 57], xmm0
	ret
