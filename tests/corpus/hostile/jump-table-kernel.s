# attack: a table in the kernel profile, where retpolines stand for indirect jumps
# property: P6
# expect: V-22 indirect-branch bad
# state: 64
# profile: kernel
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
	.section .rodata, "a"
	.p2align 2
table:	.long probe - table, probe - table, probe - table, probe - table
