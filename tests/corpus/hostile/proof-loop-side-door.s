# attack: a proof that lies: a loop is one that is also entered past its head
# property: P8
# expect: V-61 loop-entered-past-head bad
# expect: V-62 loop-not-bounded back
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 1 .loop 1 3 0 rax s:1 0 .blocks 3 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0
# proof: .distances 0 .block @head .depth 0 .claims 1 rax number 1 0 9
# proof: .distances 0 .block @second .depth 0 .claims 1 rax number 1 0 10 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	xor eax, eax
	cmp qword ptr [rdi], 1
bad:	je second
head:	inc rax
second:	inc rax
	cmp rax, 10
back:	jb head
	ret
