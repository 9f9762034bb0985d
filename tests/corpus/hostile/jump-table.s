# attack: jumps through a table of constants
# property: P6
# expect: V-22 indirect-branch bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	and eax, 1
	lea rcx, [rip + table]
bad:	jmp qword ptr [rcx + rax*8]
	.section .rodata, "a"
table:	.quad 0, 0
