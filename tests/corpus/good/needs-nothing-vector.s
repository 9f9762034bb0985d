# shows: sixteen bytes at multiples of sixteen, by an instruction that demands it and by one that doesn't
# rules: V-37 V-14
# state: 64
# needs: nothing
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	movq xmm0, qword ptr [rdi + 8]
	movups xmmword ptr [rsi + 16], xmm0
	movaps xmm1, xmmword ptr [rsi + 16]
	movhps qword ptr [rsi + 8], xmm1
	ret
