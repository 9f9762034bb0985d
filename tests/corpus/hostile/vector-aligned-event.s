# attack: an aligned load of the event, which is not promised to be aligned
# property: P10
# expect: V-37 vector-access-misaligned bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	movaps xmm0, xmmword ptr [rdi + 16]
	ret
