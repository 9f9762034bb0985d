# attack: all of a product is taken from the number: what is left is below zero
# property: P1
# expect: V-31 store-outside-region bad
# state: 16
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	and eax, 15
	imul rcx, rax, 17
	mov rdx, rax
	sub rdx, rcx
bad:	mov byte ptr [rsi + rdx], 1
	ret
