# attack: the factor is one too small: of some multiples of six the quotient is one less
# property: P1
# expect: V-31 store-outside-region bad
# state: 6
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov ecx, dword ptr [rdi]
	mov eax, 0xaaaaaaaa
	imul rax, rcx
	shr rax, 34
	lea eax, [rax + rax*2]
	add eax, eax
	sub ecx, eax
bad:	mov byte ptr [rsi + rcx], 1
	ret
