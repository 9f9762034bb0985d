# attack: multiplies by what need not be the constant that makes it a division
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
	and edx, 0x1555
	mov eax, 0xaaaaaaab
	add rax, rdx
	imul rax, rcx
	shr rax, 34
	lea eax, [rax + rax*2]
	add eax, eax
	sub ecx, eax
bad:	mov byte ptr [rsi + rcx], 1
	ret
