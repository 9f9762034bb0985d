# attack: a proof that lies: the low half of a counter ranks the loop, and may wrap
# property: P8
# class: bounds-32-64
# expect: V-62 loop-not-bounded bad
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 1 .loop 1 2 2 rax s:1 0 .blocks 2 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0 .block @head .depth 0 .claims 2
# proof: rax number 0 rsi pointer state 1 0 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	xor eax, eax
head:	inc eax
	cmp dword ptr [rsi], 1
bad:	jb head
	ret
