# attack: the factor is exact for 16 bits; the dividend has 32
# property: P1
# expect: V-31 store-outside-region bad
# state: 6
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov ecx, dword ptr [rdi]
	mov eax, 43691
	imul rax, rcx
	shr rax, 18
	lea eax, [rax + rax*2]
	add eax, eax
	sub ecx, eax
bad:	mov byte ptr [rsi + rcx], 1
	ret
