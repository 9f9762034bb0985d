# attack: twice a quotient is rounded down: four times the quotient by six, not by twelve
# property: P1
# expect: V-31 store-outside-region bad
# state: 12
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov ecx, dword ptr [rdi]
	mov eax, 0xaaaaaaab
	imul rax, rcx
	shr rax, 33
	add eax, eax
	and eax, -4
	lea eax, [rax + rax*2]
	sub ecx, eax
bad:	mov byte ptr [rsi + rcx], 1
	ret
