# attack: the multiple is taken from another number
# property: P1
# expect: V-31 store-outside-region bad
# state: 6
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov ecx, dword ptr [rdi]
	mov edx, dword ptr [rdi + 8]
	mov eax, 0xaaaaaaab
	imul rax, rcx
	shr rax, 34
	lea eax, [rax + rax*2]
	add eax, eax
	sub edx, eax
bad:	mov byte ptr [rsi + rdx], 1
	ret
