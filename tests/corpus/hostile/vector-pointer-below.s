# attack: sixteen bytes whose last one reaches into a pointer above
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
	movups xmmword ptr [rsp - 23], xmm0
	mov rax, qword ptr [rsp - 8]
bad:	mov byte ptr [rax], 1
	ret
