# attack: a loop that counts 32 bits shares a cursor
# property: P8
# expect: V-04 proof-malformed -
# ends: a cursor
# state: 256
# proof: v:2 1 @probe .keeps 0 .windows 0 .results 0 .loops 2 .loop 1 4 0 rcx s:1 0 .loop 2 3 2 rcx s:1 0 .cursors 1
# proof: .cursor 0 2 0 b:1 1 b:1 .blocks 4 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event
# proof: 1 0 0 .distances 0 .block @head .depth 0 .claims 2 rcx number 1 0 99 rsi pointer state 1 0 0 .distances 0
# proof: .block @inner .depth 0 .claims 2 rcx number 1 0 99 rsi pointer state 1 0 0 .distances 0 .block @next .depth 0
# proof: .claims 2 rcx number 513 0 101 0 0 rsi pointer state 1 0 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	xor ecx, ecx
head:	cmp byte ptr [rsi + rcx], 0
	je next
inner:	inc rcx
	cmp rcx, 99
	jae next
	cmp byte ptr [rsi + rcx], 1
go:	je inner
next:	inc rcx
	cmp rcx, 100
bad:	jb head
	ret
