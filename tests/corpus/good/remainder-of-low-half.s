# shows: the remainder by six of the low half of a register, which is read twice
# rules: V-31
# state: 6
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rdx, qword ptr [rdi]
	mov ecx, 0xaaaaaaab
	mov eax, edx
	imul rax, rcx
	shr rax, 34
	lea ecx, [rax + rax*2]
	mov eax, edx
	add ecx, ecx
	sub eax, ecx
	mov byte ptr [rsi + rax], 1
	mov rdx, qword ptr [rdi + 8]
	mov ecx, edx
	mov eax, edx
	imul rcx, rcx, 0x24924925
	shr rcx, 32
	sub eax, ecx
	shr eax, 1
	add eax, ecx
	shr eax, 2
	imul eax, eax, 7
	sub edx, eax
	cmp edx, 6
	cmove edx, ecx
	shr edx, 30
	mov byte ptr [rsi + rdx], 1
	ret
