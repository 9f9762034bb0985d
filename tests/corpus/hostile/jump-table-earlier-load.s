# attack: two entries are loaded and the first is added, but only the second is remembered
# property: P6
# expect: V-27 jump-not-through-table bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	mov edx, dword ptr [rdi]
	and eax, 3
	and edx, 3
	lea rcx, [rip + table]
	movsxd r8, dword ptr [rcx + rax*4]
	movsxd rax, dword ptr [rcx + rdx*4]
	add r8, rcx
bad:	jmp r8
	.section .rodata, "a"
	.p2align 2
table:	.long probe - table, probe - table, probe - table, probe - table
