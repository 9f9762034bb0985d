# attack: the index is compared signed, so that it may be negative
# property: P6
# expect: V-31 load-outside-region load
# expect: V-27 jump-not-through-table bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	movsxd rax, dword ptr [rdi]
	cmp rax, 3
	jg out
	lea rcx, [rip + table]
load:	movsxd rax, dword ptr [rcx + rax*4]
	add rax, rcx
bad:	jmp rax
out:	ret
	.section .rodata, "a"
	.p2align 2
table:	.long probe - table, probe - table, probe - table, out - table
