# shows: a jump through the one entry of a table that its index selects
# rules: V-27
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, 1
	lea rcx, [rip + table]
	movsxd rax, dword ptr [rcx + rax*4]
	add rax, rcx
	jmp rax
one:	mov byte ptr [rsi], 1
	ret
	.section .rodata, "a"
	.p2align 2
table:	.long 77, one - table
