# shows: the entry is loaded first and sign-extended later, and the table's address is the sum's other side
# rules: V-27
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	and eax, 3
	lea rdx, [rip + table]
	mov eax, dword ptr [rdx + rax*4]
	cdqe
	add rdx, rax
	jmp rdx
one:	mov byte ptr [rsi], 1
	ret
two:	mov byte ptr [rsi], 2
	ret
three:	mov byte ptr [rsi], 3
out:	ret
	.section .rodata, "a"
	.p2align 2
table:	.long one - table, two - table, three - table, out - table
