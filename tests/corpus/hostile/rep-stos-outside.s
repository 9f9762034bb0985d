# attack: fills one element too many
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
	mov ecx, 9
bad:	rep stosq
	ret
