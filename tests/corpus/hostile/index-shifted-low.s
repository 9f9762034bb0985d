# attack: the index is checked by what is left of it shifted by three, and may have low bits
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, qword ptr [rdi + 8]
	mov rdx, rcx
	shr rdx, 3
	cmp rdx, 7
	ja 2f
	mov byte ptr [rsi + rcx], 1
bad:	mov word ptr [rsi + rcx], 1
2:	ret
