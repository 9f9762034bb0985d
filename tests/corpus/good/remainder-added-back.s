# shows: remainders by seven where the factor has one bit more than a register: of 32 bits, of 64, and of 16
# rules: V-31
# state: 7
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	imul rcx, rax, 0x24924925
	shr rcx, 32
	mov edx, eax
	sub edx, ecx
	shr edx, 1
	add edx, ecx
	shr edx, 2
	lea ecx, [rdx*8]
	sub edx, ecx
	add edx, eax
	mov byte ptr [rsi + rdx], 1
	mov rcx, qword ptr [rdi]
	movabs rdx, 0x2492492492492493
	mov rax, rcx
	mul rdx
	mov rax, rcx
	sub rax, rdx
	shr rax, 1
	add rax, rdx
	shr rax, 2
	lea rdx, [rax*8]
	sub rax, rdx
	add rax, rcx
	mov byte ptr [rsi + rax], 1
	movzx eax, word ptr [rdi]
	imul ecx, eax, 0x2493
	shr ecx, 16
	mov edx, eax
	sub edx, ecx
	movzx edx, dx
	shr edx, 1
	add ecx, edx
	movzx edx, cx
	shr edx, 2
	lea ecx, [rdx*8]
	sub edx, ecx
	add edx, eax
	movzx edx, dx
	mov byte ptr [rsi + rdx], 1
	ret
