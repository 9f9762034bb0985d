# attack: of an entry that was put by in the stack one byte is changed
# property: P6
# expect: V-27 jump-not-through-table bad
# expect: V-25 unreached-code one
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
	mov qword ptr [rsp - 8], rax
	mov byte ptr [rsp - 7], 1
	mov rax, qword ptr [rsp - 8]
	add rax, rcx
bad:	jmp rax
one:	mov byte ptr [rsi], 1
	ret
two:	mov byte ptr [rsi], 2
	ret
	.section .rodata, "a"
	.p2align 2
table:	.long one - table, two - table
