# attack: a proof that lies: the register that ranks the loop holds the host's value at the back edge
# property: P8
# expect: V-62 loop-not-bounded bad
# expect: V-60 claim-not-implied bad
# says: is not moved by a known step
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 1 .loop 1 2 0 rax s:1 .counted 0 .blocks 2 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0
# proof: .block @head .depth 0 .claims 2 rax number 1 0 1000 rsi pointer state 1 0 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	xor eax, eax
head:	mov rax, rbx
	cmp dword ptr [rsi], 1
bad:	jb head
	ret
