# attack: the table runs on into the slot where the loader puts an import's address
# property: P6
# expect: V-72 read-of-import-slot load
# expect: V-27 jump-not-through-table bad
# expect: V-25 unreached-code one
# state: 64
# allow: ward_clock
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	and eax, 3
	lea rcx, [rip + table]
load:	movsxd rax, dword ptr [rcx + rax*4]
	add rax, rcx
bad:	jmp rax
one:	mov edi, 0
	jmp qword ptr [rip + ward_clock@GOTPCREL]
	.section .rodata, "a"
	.p2align 3
table:	.long one - table, one - table
