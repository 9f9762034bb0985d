# shows: an index that keeps sixteen bytes aligned
# rules: V-37 V-31
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	and eax, 3
	shl eax, 4
	pcmpeqd xmm7, xmm7
	movaps xmmword ptr [rsi + rax], xmm7
	ret
