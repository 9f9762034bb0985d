# attack: a pointer is subtracted from zero and used
# property: P1
# expect: V-30 store-through-number bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, rsi
	neg rax
bad:	mov byte ptr [rax], 1
	ret
