# attack: a proof that ends within a cursor
# property: P8
# expect: V-04 proof-malformed -
# ends: a cursor
# state: 256
# proof: v:2 1 @probe .keeps 0 .windows 0 .results 0 .loops 2 .loop 1 4 0 rcx s:1 0 .loop 2 3 0 rcx s:1 0 .cursors 1 0
# proof: 2 0
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
