# attack: four jumps through one table lead to each of two thousand places
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
	mov eax, dword ptr [rdi]
	and eax, 2047
	movsxd rax, dword ptr [r8 + rax*4]
	add rax, r8
	jmp rax
l0:	mov eax, dword ptr [rdi]
	and eax, 2047
	movsxd rax, dword ptr [r8 + rax*4]
	add rax, r8
	jmp rax
l1:	mov eax, dword ptr [rdi]
	and eax, 2047
	movsxd rax, dword ptr [r8 + rax*4]
	add rax, r8
	jmp rax
l2:	mov eax, dword ptr [rdi]
	and eax, 2047
	movsxd rax, dword ptr [r8 + rax*4]
	add rax, r8
bad:	jmp rax
places:	.rept 2048
	ret
	.endr
	.section .rodata, "a"
	.p2align 2
table:
	.set i, 0
	.rept 2048
	.long places + i - table
	.set i, i + 1
	.endr
