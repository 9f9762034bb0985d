# attack: a proof that lies, of code that no branch leads to: a jump by an index between 65 and 3967 that is a multiple of 64 and 3 modulo 61; there is no such index
# property: P6
# expect: V-27 table-without-entries bad
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 0 .blocks 2 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0
# proof: .block @none .depth 0 .claims 1 rax number 273 65 3967 63 0 61 3 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	xor eax, eax
	cmp eax, 0
	jne none
	ret
none:	lea rdx, [rip + table]
	movsxd rcx, dword ptr [rdx + rax]
	add rcx, rdx
bad:	jmp rcx
	.section .rodata, "a"
	.p2align 2
table:	.rept 1024
	.long 0
	.endr
