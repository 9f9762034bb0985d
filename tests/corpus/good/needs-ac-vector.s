# shows: sixteen bytes of the event, which begins at a multiple of eight
# rules: V-37 V-14
# state: 64
# needs: ac-clear
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	movups xmm0, xmmword ptr [rdi]
	movups xmmword ptr [rsi + 16], xmm0
	movaps xmmword ptr [rsi], xmm0
	ret
