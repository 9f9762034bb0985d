# attack: the target is moved on by a number after the entry was added
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
	mov edx, dword ptr [rdi]
	and edx, 1
	lea rcx, [rip + table]
	movsxd rax, dword ptr [rcx + rax*4]
	add rax, rcx
	add rax, rdx
bad:	jmp rax
	.section .rodata, "a"
	.p2align 2
table:	.long probe - table, probe - table, probe - table, probe - table
