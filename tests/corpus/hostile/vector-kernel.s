# attack: vector registers in the kernel, where they belong to a user program
# property: P5
# expect: V-14 vector-in-kernel bad
# expect: V-14 vector-in-kernel bad+4
# profile: kernel
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	pxor xmm0, xmm0
	movups xmmword ptr [rsi], xmm0
	ret
