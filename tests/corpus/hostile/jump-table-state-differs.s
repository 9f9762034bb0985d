# attack: a case that needs a set register can be reached from where it is not
# property: P9
# expect: V-50 read-of-unset-register bad
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
one:	mov edx, 1
two:
bad:	mov dword ptr [rsi], edx
	ret
	.section .rodata, "a"
table:	.long one - table, two - table
