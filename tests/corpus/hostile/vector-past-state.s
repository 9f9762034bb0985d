# attack: sixteen bytes that end one past the state
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	pxor xmm0, xmm0
bad:	movups xmmword ptr [rsi + 49], xmm0
	ret
