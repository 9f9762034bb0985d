# attack: a proof that lies: the loop ends before the branch back
# property: P8
# expect: V-61 back-edge-outside-loop bad
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 1 .loop 1 2 0 rax s:1 0 .blocks 3 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0
# proof: .distances 0 .block @head .depth 0 .claims 1 rax number 1 0 9
# proof: .distances 0 .block @second .depth 0 .claims 1 rax number 1 0 10 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	xor eax, eax
head:	inc rax
second:	cmp rax, 10
bad:	jb head
	ret
