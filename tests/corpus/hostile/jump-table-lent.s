# attack: a proof that lies: the callee jumps through a table in a window, which another caller may lend elsewhere
# property: P6
# expect: V-27 jump-not-through-table bad
# state: 64
# proof: 2 @callee .keeps 0 .windows 1 8 0 .results 0 .loops 0 .blocks 3 .block @callee .depth 0 .claims 1 rcx pointer b:5 1 0 0 .distances 0
# proof: .block @one .depth 0 .claims 0 .distances 0 .block @two .depth 0 .claims 0 .distances 0
# proof: @probe .keeps 0 .windows 0 .results 0 .loops 0 .blocks 1 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	lea rcx, [rip + table]
	call callee
	mov rcx, rsi
	ret
callee:
	movsxd rax, dword ptr [rcx]
	add rax, rcx
bad:	jmp rax
one:	ret
two:	ret
	.section .rodata, "a"
	.p2align 3
table:	.long one - table, two - table
