# shows: a function that relies on an aligned stack, called with one; the vector registers that it doesn't use keep their values
# rules: V-37 V-60 V-64
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	sub rsp, 8
	push rbx
	mov rbx, rsi
	sub rsp, 8
	movups xmm5, xmmword ptr [rsi]
	call callee
	movups xmmword ptr [rbx + 8], xmm5
	add rsp, 8
	pop rbx
	add rsp, 8
	ret
callee:
	pcmpeqd xmm0, xmm0
	movaps xmmword ptr [rsp - 24], xmm0
	mov eax, dword ptr [rsp - 20]
	ret
