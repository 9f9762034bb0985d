# attack: a product that may wrap
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	imul eax, eax, 16
	shr eax, 4
bad:	mov byte ptr [rsi + rax], 1
	ret
