# attack: the target is moved by a constant after the entry was added, into an instruction
# property: P6
# expect: V-25 unreached-code one
# expect: V-20 block-inside-instruction one+1
# expect: V-20 block-inside-instruction two+1
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
	lea rax, [rax + rcx + 1]
	jmp rax
one:	mov byte ptr [rsi], 1
	ret
two:	mov byte ptr [rsi], 2
	ret
three:	mov byte ptr [rsi], 3
out:	ret
	.section .rodata, "a"
	.p2align 2
table:	.long one - table, two - table, three - table, out - table
