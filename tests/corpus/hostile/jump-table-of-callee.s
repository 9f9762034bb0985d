# attack: jumps to where a callee says: to its caller that is just an address in rodata
# property: P6
# expect: V-27 jump-not-through-table bad
# state: 64
# proof: 2 @callee .keeps 0 .windows 0 .results 1 rax pointer rodata 0 .loops 0 .blocks 1 .block @callee .depth 0 .claims 0 .distances 0
# proof: @probe .keeps 0 .windows 0 .results 0 .loops 0 .blocks 2 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0
# proof: .block @one .depth 0 .claims 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	call callee
bad:	jmp rax
one:	ret
callee:
	lea rcx, [rip + table]
	movsxd rax, dword ptr [rcx]
	add rax, rcx
	ret
	.section .rodata, "a"
	.p2align 3
table:	.long one - table, one - table
