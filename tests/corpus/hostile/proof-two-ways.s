# attack: a proof that lies: a counter that goes up on one path and down on the other ranks the loop
# property: P8
# expect: V-62 loop-not-bounded bad
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 1 .loop 1 4 0 rax s:1 0 .blocks 5 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0
# proof: .distances 0 .block @head .depth 0 .claims 2 rax number 1 1 1000 rsi pointer state 1 0 0
# proof: .distances 0 .block @down .depth 0 .claims 2 rax number 129 1 1000 0 s:0 rsi pointer state 1 0 0
# proof: .distances 0 .block @check .depth 0 .claims 2 rax number 129 2 1001 0 s:1 rsi pointer state 1 0 0
# proof: .distances 0 .block @out .depth 0 .claims 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, 500
head:	cmp dword ptr [rsi], 5
	je down
	inc rax
	jmp check
down:	cmp rax, 1
	jbe out
	dec rax
bad:	jmp head
check:	cmp rax, 1000
	jb head
out:	ret
