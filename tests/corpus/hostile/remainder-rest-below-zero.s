# attack: the upper half of a product that is greater than the number: what it leaves is below zero
# property: P1
# expect: V-31 store-outside-region bad
# state: 256
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	and eax, 255
	movabs rcx, 0x180000000
	imul rcx, rax
	shr rcx, 32
	mov edx, eax
	sub edx, ecx
bad:	mov byte ptr [rsi + rdx], 1
	ret
