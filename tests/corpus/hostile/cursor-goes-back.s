# attack: the outer loop takes the cursor back by a step
# property: P8
# expect: V-65 cursor-moved-back bad
# state: 256
# proof: v:2 1 @probe .keeps 0 .windows 0 .results 0 .loops 2 .loop 1 4 0 rdx s:-1 0 .loop 2 3 0 rcx s:1 0 .cursors 1
# proof: .cursor 0 1 1 b:1 .blocks 5 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0
# proof: .distances 0 .block @head .depth 0 .claims 3 rcx number 513 0 98 0 0 rdx number 1 1 50 rsi pointer state 1 0
# proof: 0 .distances 0 .block @inner .depth 0 .claims 3 rcx number 1 0 97 rdx number 129 1 50 0 s:0 rsi pointer state
# proof: 1 0 0 .distances 0 .block @next .depth 0 .claims 3 rcx number 513 0 98 0 0 rdx number 129 1 50 0 s:0 rsi
# proof: pointer state 1 0 0 .distances 0 .block @out .depth 0 .claims 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	xor ecx, ecx
	mov edx, 50
head:	cmp rcx, 98
	jae out
bad2:
inner:	inc rcx
	cmp byte ptr [rsi + rcx], 1
to:	je next
	cmp rcx, 98
go:	jb inner
next:	dec rcx
	and ecx, 63
	dec rdx
bad:	jne head
out:	ret
