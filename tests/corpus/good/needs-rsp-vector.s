# shows: sixteen bytes of the stack, by an instruction that demands alignment
# rules: V-37 V-51
# state: 64
# needs: rsp-aligned
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	movaps xmm0, xmmword ptr [rsi]
	movaps xmmword ptr [rsp - 24], xmm0
	mov rax, qword ptr [rsp - 16]
	mov qword ptr [rsi + 32], rax
	ret
