# attack: the index may be one past the table, which ends the read-only data
# property: P1
# expect: V-31 load-outside-region load
# expect: V-27 jump-not-through-table bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	cmp eax, 4
	ja out
	lea rcx, [rip + table]
load:	movsxd rax, dword ptr [rcx + rax*4]
	add rax, rcx
bad:	jmp rax
out:	ret
	.section .rodata, "a"
	.p2align 2
table:	.long probe - table, probe - table, probe - table, out - table
