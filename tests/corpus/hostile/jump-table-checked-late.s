# attack: the index is checked when the entry has been loaded
# property: P6
# expect: V-27 table-entry-astray bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	and eax, 3
	lea rcx, [rip + table]
	movsxd rdx, dword ptr [rcx + rax*4]
	cmp eax, 1
	ja out
	add rdx, rcx
bad:	jmp rdx
one:	mov byte ptr [rsi], 1
	ret
two:	mov byte ptr [rsi], 2
out:	ret
	.section .rodata, "a"
	.p2align 2
table:	.long one - table, two - table, 0x01000000, 0x01000000
