# attack: a proof that lies: a number loses its lowest one, and one is added
# property: P8
# expect: V-62 loop-not-bounded bad
# says: is not moved by a known step
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 1 .loop 1 2 5 rax s:-1 0 .blocks 3 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0
# proof: .block @head .depth 0 .claims 1 rax number 1 1 255  .distances 0 .block @out .depth 0 .claims 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	movzx eax, byte ptr [rdi]
	test eax, eax
	je out
head:	lea rdx, [rax - 1]
	and rdx, rax
	lea rax, [rdx + 1]
	cmp rax, 255
bad:	jbe head
out:	ret
