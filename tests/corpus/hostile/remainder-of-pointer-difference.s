# attack: takes a pointer from the dividend, whose offset would leave a remainder
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
	lea rdx, [rsi + rax]
	sub rcx, rdx
bad:	mov byte ptr [rsi + rcx], 1
	ret
