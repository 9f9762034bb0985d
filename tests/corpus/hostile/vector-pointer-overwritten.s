# attack: a spilled pointer is overwritten by half a vector register and used
# property: P1
# expect: V-30 store-through-number bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov qword ptr [rsp - 8], rsi
	movq xmm0, qword ptr [rdi]
	movlps qword ptr [rsp - 8], xmm0
	mov rax, qword ptr [rsp - 8]
bad:	mov byte ptr [rax], 1
	ret
