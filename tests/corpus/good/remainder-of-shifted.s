# shows: remainders by 28 and by 100 of numbers that are shifted before they are multiplied, and one by 25 of what was shifted
# rules: V-31
# state: 25
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	mov ecx, eax
	shr ecx, 2
	imul rcx, rcx, 0x24924925
	shr rcx, 32
	imul edx, ecx, 28
	sub eax, edx
	shr eax, 2
	mov byte ptr [rsi + rax], 1
	mov rcx, qword ptr [rdi]
	mov r8, rcx
	shr r8, 2
	mov rax, r8
	movabs rdx, 0x28f5c28f5c28f5c3
	mul rdx
	shr rdx, 2
	imul rax, rdx, 100
	sub rcx, rax
	shr rcx, 2
	mov byte ptr [rsi + rcx], 1
	imul rax, rdx, 25
	sub r8, rax
	mov byte ptr [rsi + r8], 1
	ret
