# attack: the multiple is taken from the dividend plus one
# property: P1
# expect: V-31 store-outside-region bad
# state: 6
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov ecx, dword ptr [rdi]
	mov eax, 0xaaaaaaab
	imul rax, rcx
	shr rax, 34
	lea eax, [rax + rax*2]
	add eax, eax
	inc rcx
	sub rcx, rax
bad:	mov byte ptr [rsi + rcx], 1
	ret
