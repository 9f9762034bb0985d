# attack: a proof that lies: the low half of a pointer ranks the loop
# property: P8
# expect: V-62 loop-not-bounded bad
# says: no claimed range
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 1 .loop 1 2 2 rax s:1 0 .blocks 2 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer
# proof: event 1 0 0 .distances 0 .block @head .depth 0 .claims 2 rax pointer state 1 0 63 rcx pointer state 1 64 64 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, rsi
	lea rcx, [rsi + 64]
head:	inc rax
	cmp rax, rcx
bad:	jne head
	ret
