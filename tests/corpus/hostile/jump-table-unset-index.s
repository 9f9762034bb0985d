# attack: the index is a register that the probe has not set
# property: P9
# expect: V-50 read-of-unset-register load
# expect: V-31 load-outside-region load
# expect: V-27 jump-not-through-table bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	lea rcx, [rip + table]
load:	movsxd rax, dword ptr [rcx + rdx*4]
	add rax, rcx
bad:	jmp rax
	.section .rodata, "a"
table:	.long 0
