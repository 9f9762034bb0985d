# shows: aligned constants and data, and the last sixteen bytes of each
# rules: V-37 V-31
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	movaps xmm0, xmmword ptr [rip + constants + 16]
	paddb xmm0, xmmword ptr [rip + shared]
	movaps xmmword ptr [rip + shared + 16], xmm0
	ret
	.section .rodata, "a"
	.p2align 4
constants:
	.zero 32
	.section .data, "aw"
	.p2align 4
shared:
	.quad 1, 2, 3, 4
