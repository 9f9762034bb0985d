# attack: a vector store somewhere over a spilled pointer
# property: P1
# expect: V-30 store-through-number bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov qword ptr [rsp - 8], rsi
	pxor xmm0, xmm0
	mov eax, dword ptr [rdi]
	and eax, 8
	movups xmmword ptr [rsp + rax - 32], xmm0
	movups xmmword ptr [rsp + rax - 24], xmm0
	mov rax, qword ptr [rsp - 8]
bad:	mov byte ptr [rax], 1
	ret
