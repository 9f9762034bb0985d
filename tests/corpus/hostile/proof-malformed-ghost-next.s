# attack: a proof with the ghost after the last
# property: P8
# expect: V-04 proof-malformed -
# ends: a claim about a loop's ghost outside the loop
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 1 .loop 1 3 0 rax s:1 0 .blocks 3 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer
# proof: event 1 0 0 .distances 0 .block @head .depth 0 .claims 1 rax number 1 0 999 .distances 0 .block @other .depth 0 .claims 1 rax number 128 1 s:0
# proof: .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	xor eax, eax
head:	inc rax
other:	cmp rax, 1000
	jb head
	ret
