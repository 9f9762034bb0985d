# attack: a segment prefix that means nothing, but notrack elsewhere, on a vector store
# property: P4
# expect: V-11 prefix-not-permitted bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	pxor xmm0, xmm0
bad:	.byte 0x3e
	movups xmmword ptr [rsi], xmm0
	ret
