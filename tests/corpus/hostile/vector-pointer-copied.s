# attack: two spilled pointers are copied by a vector register and used
# property: P1
# expect: V-30 store-through-number bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov qword ptr [rsp - 8], rsi
	mov qword ptr [rsp - 16], rdi
	movups xmm0, xmmword ptr [rsp - 16]
	movups xmmword ptr [rsp - 32], xmm0
	mov rax, qword ptr [rsp - 24]
bad:	mov byte ptr [rax], 1
	ret
