# attack: a proof that lies: there is no loop
# property: P8
# expect: V-61 back-edge-outside-loop bad
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 0 .blocks 2 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0 .block @head .depth 0 .claims 1 rax number 1 0 4 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	xor eax, eax
head:	inc rax
	cmp rax, 5
bad:	jb head
	ret
