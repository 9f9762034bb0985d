# shows: sixteen bytes at a time: aligned in the state and on the stack, unaligned anywhere; halves and parts
# rules: V-14 V-37 V-31 V-33 V-50 V-51
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	movdqu xmm0, xmmword ptr [rdi + 8]
	movups xmmword ptr [rsi + 3], xmm0
	movaps xmm1, xmmword ptr [rsi + 16]
	movaps xmmword ptr [rsp - 24], xmm1
	movdqa xmm2, xmmword ptr [rsp - 24]
	mov rax, qword ptr [rsp - 16]
	movlps xmm3, qword ptr [rsi]
	movhps xmm3, qword ptr [rsi + 40]
	paddd xmm2, xmm3
	pxor xmm4, xmm4
	psubb xmm4, xmmword ptr [rsi + 32]
	movss xmm4, xmm2
	pinsrw xmm4, eax, 5
	movq xmm5, xmm4
	movups xmmword ptr [rsi + 5], xmm5
	pcmpeqb xmm4, xmm2
	pmovmskb ecx, xmm4
	and ecx, 31
	movaps xmmword ptr [rsi + 48], xmm2
	mov byte ptr [rsi + rcx], 1
	ret
