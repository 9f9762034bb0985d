# attack: takes rdi for what it was before
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rdi, rsi
	xor eax, eax
	mov ecx, 8
	rep stosq
bad:	mov byte ptr [rdi], 1
	ret
