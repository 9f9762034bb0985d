# shows: remainders by 15 and by 255 where the multiple has more bits than are computed
# rules: V-31
# state: 255
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	mov ecx, 0x88888889
	mov rdx, rax
	imul rax, rcx
	shr rax, 35
	mov ecx, eax
	shl ecx, 4
	sub ecx, eax
	mov eax, edx
	sub eax, ecx
	mov byte ptr [rsi + rax + 240], 1
	mov rcx, qword ptr [rdi]
	movabs rdx, 0x8080808080808081
	mov rax, rcx
	mul rdx
	shr rdx, 7
	mov rax, rdx
	shl rax, 8
	sub rdx, rax
	add rdx, rcx
	mov byte ptr [rsi + rdx], 1
	ret
