# attack: five jumps read one long table again and again, all in all more entries than there are bytes
# property: P8
# expect: V-27 tables-too-large bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	lea r8, [rip + table]
	mov ecx, dword ptr [rdi + 8]
	cmp ecx, 0
	je l0
	cmp ecx, 1
	je l1
	cmp ecx, 2
	je l2
	cmp ecx, 3
	je l3
	cmp ecx, 4
	je l4
	ret
l0:
	mov eax, dword ptr [rdi]
	and eax, 1023
	movsxd rax, dword ptr [r8 + rax*4]
	add rax, r8
	jmp rax
l1:
	mov eax, dword ptr [rdi]
	and eax, 1023
	movsxd rax, dword ptr [r8 + rax*4]
	add rax, r8
	jmp rax
l2:
	mov eax, dword ptr [rdi]
	and eax, 1023
	movsxd rax, dword ptr [r8 + rax*4]
	add rax, r8
	jmp rax
l3:
	mov eax, dword ptr [rdi]
	and eax, 1023
	movsxd rax, dword ptr [r8 + rax*4]
	add rax, r8
	jmp rax
l4:
	mov eax, dword ptr [rdi]
	and eax, 1023
	movsxd rax, dword ptr [r8 + rax*4]
	add rax, r8
bad:	jmp rax
out:	ret
	.section .rodata, "a"
	.p2align 2
table:
	.rept 1024
	.long out - table
	.endr
