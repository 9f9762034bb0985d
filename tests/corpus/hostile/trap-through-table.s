# attack: an entry of a jump table leads to a trap
# property: P10
# expect: V-54 trap-reachable bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	and eax, 1
	lea rcx, [rip + table]
	movsxd rax, dword ptr [rcx + rax*4]
	add rax, rcx
	jmp rax
one:	ret
bad:	ud2
	.section .rodata, "a"
table:	.long one - table, bad - table
