# shows: a state machine in a loop that another register bounds; the table's address is loaded before the loop
# rules: V-27 V-62 V-61
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	lea r8, [rip + table]
	xor eax, eax
	mov ecx, 16
next:	cmp eax, 3
	ja out
	movsxd rax, dword ptr [r8 + rax*4]
	add rax, r8
	jmp rax
one:	mov eax, dword ptr [rdi]
	jmp more
two:	xor eax, eax
	jmp more
three:	mov eax, 1
more:	dec ecx
	jne next
out:	ret
	.section .rodata, "a"
	.p2align 2
table:	.long one - table, two - table, three - table, out - table
