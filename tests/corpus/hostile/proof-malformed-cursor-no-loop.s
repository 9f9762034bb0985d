# attack: a cursor in a function without loops
# property: P8
# expect: V-04 proof-malformed -
# ends: the number of cursors
# state: 256
# proof: v:2 1 @probe .keeps 0 .windows 0 .results 0 .loops 0 .cursors 1 .cursor 0 0 .blocks 1 .block @probe .depth 0
# proof: .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0
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
