# shows: a remainder of a division by six, as compilers compute it
# rules: V-31
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
	sub ecx, eax
bad:	mov byte ptr [rsi + rcx], 1
	ret
