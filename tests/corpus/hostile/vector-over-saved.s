# attack: a vector store somewhere over a saved register
# property: P3
# expect: V-34 store-over-saved-register bad
# expect: V-42 callee-saved-register-changed out
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rbx
	pxor xmm0, xmm0
	mov eax, dword ptr [rdi]
	and eax, 8
bad:	movups xmmword ptr [rsp + rax - 16], xmm0
	pop rbx
out:	ret
