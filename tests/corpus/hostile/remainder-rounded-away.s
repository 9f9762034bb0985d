# attack: all of a quotient is rounded off, which leaves zero
# property: P1
# expect: V-31 store-outside-region bad
# state: 8
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov ecx, dword ptr [rdi]
	mov eax, ecx
	mov edx, 0x80000000
	imul rax, rdx
	shr rax, 32
	movabs rdx, 0x8000000000000000
	and rax, rdx
	sub rcx, rax
bad:	mov byte ptr [rsi + rcx], 1
	ret
