# shows: constants in rodata that are loaded as signed numbers have a least and a greatest
# rules: V-31
# state: 16
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov ecx, dword ptr [rdi]
	and ecx, 3
	lea rdx, [rip + table]
	movsx rax, byte ptr [rdx + rcx]
	mov byte ptr [rsi + rax + 1], 1
	movsx rax, word ptr [rdx + rcx*2 + 4]
	mov byte ptr [rsi + rax + 2], 1
	movsxd rax, dword ptr [rdx + rcx*4 + 12]
	mov byte ptr [rsi + rax + 3], 1
	mov rax, qword ptr [rdx + rcx*8 + 28]
	mov byte ptr [rsi + rax + 4], 1
	movsx eax, byte ptr [rdx + rcx]
	cmp eax, -1
	je out
	mov byte ptr [rsi + rax], 1
out:	ret
	.section .rodata, "a"
	.p2align 2
table:	.byte 14, -1, 3, 0
	.word -2, 13, 0, 1
	.long -3, 12, 0, 1
	.quad 5, -4, 11, 0
