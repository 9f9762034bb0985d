# attack: one check of two indexes that are joined by xor: both may be large
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, qword ptr [rdi + 8]
	mov rax, qword ptr [rdi]
	mov rdx, rax
	xor rdx, rcx
	cmp rdx, 63
	ja 2f
bad:	mov byte ptr [rsi + rcx], 1
2:	ret
