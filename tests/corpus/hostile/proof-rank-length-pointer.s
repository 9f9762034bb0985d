# attack: a proof that lies: an address whose offset is the shorter number ranks the loop by its length
# property: P8
# expect: V-62 loop-not-bounded bad
# says: is not moved by a known step
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 1 .loop 1 2 4 rax s:-1 .counted 0 .blocks 3 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0
# proof: .block @head .depth 0 .claims 2 rax number 0 rsi pointer state 1 0 0 .distances 0 .block @out .depth 0 .claims 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rsi]
head:	cmp rax, 0
	je out
	shr rax, 1
	add rax, rsi
bad:	jmp head
out:	ret
