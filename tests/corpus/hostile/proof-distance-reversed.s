# attack: a proof that lies: it claims the distance of two numbers with the wrong sign
# property: P1
# expect: V-60 claim-not-implied here
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 0 .blocks 3 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0 .block @here .depth 0 .claims 2 rax number 0 rcx number 0 .distances 1 rcx rax 0 s:1 1 2 2 .block @out .depth 0 .claims 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	lea rcx, [rax + 2]
	nop
here:	cmp rax, rcx
	je out
	nop
out:	ret
