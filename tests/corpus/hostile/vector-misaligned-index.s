# attack: an aligned store at an index of any multiple of eight
# property: P10
# expect: V-37 vector-access-misaligned bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	pxor xmm0, xmm0
	mov eax, dword ptr [rdi]
	and eax, 5
bad:	movaps xmmword ptr [rsi + rax*8], xmm0
	ret
