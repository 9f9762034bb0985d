# attack: a remainder of six values indexes five bytes
# property: P1
# expect: V-31 store-outside-region bad
# state: 5
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
	sub ecx, eax
bad:	mov byte ptr [rsi + rcx], 1
	ret
