# attack: a machine of states in a loop without an end
# property: P8
# expect: V-62 loop-not-bounded bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	lea r8, [rip + table]
next:	mov eax, dword ptr [rdi]
	and eax, 3
	movsxd rax, dword ptr [r8 + rax*4]
	add rax, r8
bad:	jmp rax
one:	mov byte ptr [rsi], 1
	ret
	.section .rodata, "a"
	.p2align 2
table:	.long one - table, one - table, one - table, next - table
