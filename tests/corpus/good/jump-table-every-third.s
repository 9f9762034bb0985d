# shows: only every third entry of the table can be selected; the others lead nowhere
# rules: V-27
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	and eax, 1
	imul eax, eax, 3
	lea rcx, [rip + table]
	movsxd rax, dword ptr [rcx + rax*4]
	add rax, rcx
	jmp rax
one:	mov byte ptr [rsi], 1
	ret
two:	mov byte ptr [rsi], 2
	ret
	.section .rodata, "a"
	.p2align 2
table:	.long one - table, 77, 77, two - table
