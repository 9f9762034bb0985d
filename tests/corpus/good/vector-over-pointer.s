# shows: a slot whose pointer was overwritten holds a number
# rules: V-51 V-30
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov qword ptr [rsp - 8], rsi
	pcmpeqd xmm0, xmm0
	movlps qword ptr [rsp - 8], xmm0
	mov rax, qword ptr [rsp - 8]
	mov qword ptr [rsi], rax
	ret
