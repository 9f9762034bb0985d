# attack: sixteen bytes at an index that was checked for eight
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	pxor xmm0, xmm0
	mov eax, dword ptr [rdi]
	cmp eax, 56
	ja out
bad:	movups xmmword ptr [rsi + rax], xmm0
out:	ret
