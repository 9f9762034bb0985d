# attack: the entry is added to the state's address
# property: P6
# expect: V-27 jump-not-through-table bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	and eax, 3
	lea rcx, [rip + table]
	movsxd rax, dword ptr [rcx + rax*4]
	add rax, rsi
bad:	jmp rax
	.section .rodata, "a"
	.p2align 2
table:	.long probe - table, probe - table, probe - table, probe - table
