# shows: three loops in one another, the inner two of which move one cursor
# rules: V-65
# state: 256
# max-insns: 2010
# proof: v:2 1 @probe .keeps 0 .windows 0 .results 0 .loops 3 .loop 1 6 0 rdx s:-1 0 .loop 2 5 0 rcx s:1 0 .loop 3 4 0
# proof: rcx s:1 0 .cursors 1 .cursor 0 2 1 b:1 2 b:1 .blocks 7 .block @probe .depth 0 .claims 2 rsi pointer state 1 0
# proof: 0 rdi pointer event 1 0 0 .distances 0 .block @head .depth 0 .claims 3 rcx number 513 0 91 0 0 rdx number 1 1
# proof: 50 rsi pointer state 1 0 0 .distances 0 .block @one .depth 0 .claims 3 rcx number 1 0 89 rdx number 129 1 50
# proof: 0 s:0 rsi pointer state 1 0 0 .distances 0 .block @two .depth 0 .claims 3 rcx number 1 0 89 rdx number 129 1
# proof: 50 0 s:0 rsi pointer state 1 0 0 .distances 0 .block @more .depth 0 .claims 3 rcx number 513 0 89 0 0 rdx
# proof: number 129 1 50 0 s:0 rsi pointer state 1 0 0 .distances 0 .block @next .depth 0 .claims 3 rcx number 513 0
# proof: 91 0 0 rdx number 129 1 50 0 s:0 rsi pointer state 1 0 0 .distances 0 .block @out .depth 0 .claims 0
# proof: .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	xor ecx, ecx
	mov edx, 50
head:	cmp rcx, 90
	jae out
one:	inc rcx
	cmp rcx, 90
	jae next
two:	inc rcx
	cmp rcx, 90
	jae next
	cmp byte ptr [rsi + rcx], 2
	je two
more:	inc rcx
	cmp rcx, 90
back:	jae next
	cmp byte ptr [rsi + rcx], 1
bad:	je one
next:	dec rdx
	jne head
out:	ret
