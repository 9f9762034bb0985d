# shows: a proof written by hand: a loop ranked by a location, a group and a ghost
# rules: V-04 V-21 V-60 V-61 V-62
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 1 .loop 1 3 0 rax s:1 0 .blocks 3 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0
# proof: .distances 0 .block @head .depth 0 .claims 2 rax number 1 0 63 rsi pointer state 1 0 0
# proof: .distances 0 .block @other .depth 0 .claims 3 rax number 129 0 63 0 s:0 rcx number 129 1 64 0 s:1 rsi pointer state 1 0 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	xor eax, eax
head:	lea rcx, [rax + 1]
other:	mov byte ptr [rsi + rax], 1
	mov rax, rcx
	cmp rax, 64
	jb head
	ret
