# shows: an entry that the index can't select may hold anything
# rules: V-27
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	and eax, 1
	lea rcx, [rip + table]
	movsxd rax, dword ptr [rcx + rax*8]
	add rax, rcx
	jmp rax
one:	mov byte ptr [rsi], 1
	ret
two:	mov byte ptr [rsi], 2
	ret
	.section .rodata, "a"
	.p2align 2
table:	.long one - table, 77, two - table, 77
