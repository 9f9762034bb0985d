# attack: which case of a switch is meant is in shared data, checked and loaded again; beyond the table are numbers
# property: P6
# expect: V-27 table-entry-astray bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	cmp dword ptr [rip + shared], 1
	ja out
	mov eax, dword ptr [rip + shared]
	and eax, 7
	lea rcx, [rip + table]
	movsxd rax, dword ptr [rcx + rax*4]
	add rax, rcx
bad:	jmp rax
one:	mov byte ptr [rsi], 1
out:	ret
	.section .rodata, "a"
	.p2align 2
table:	.long one - table, out - table
	.fill 6, 4, 0
	.data
	.p2align 6
shared:	.fill 16, 8, 0
