# attack: an entry leads to padding behind a return
# property: P6
# expect: V-24 padding-reached pad
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
	add rax, rcx
bad:	jmp rax
one:	mov byte ptr [rsi], 1
	ret
two:	mov byte ptr [rsi], 2
	ret
three:	mov byte ptr [rsi], 3
out:	ret
pad:	int3
	.section .rodata, "a"
	.p2align 2
table:	.long one - table, two - table, three - table, pad - table
