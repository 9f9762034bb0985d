# attack: a conditional move bounds the index only where it moves
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	mov ecx, 63
	cmp rax, 64
	cmovb rax, rcx
bad:	mov byte ptr [rsi + rax], 1
	ret
