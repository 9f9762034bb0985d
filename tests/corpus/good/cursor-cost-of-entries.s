# shows: a cursor begins anew where the loop is entered that owns it, and its way counts for each entry
# rules: V-65 V-63
# state: 256
# max-insns: 5017
# proof: v:2 1 @probe .keeps 0 .windows 0 .results 0 .loops 3 .loop 1 6 0 rdx s:-1 0 .loop 2 5 0 rcx s:1 0 .loop 3 4
# proof: 0 rcx s:1 0 .cursors 1 .cursor 1 2 1 b:1 2 b:1 .blocks 6 .block @probe .depth 0 .claims 2 rsi pointer state
# proof: 1 0 0 rdi pointer event 1 0 0 .distances 0 .block @again .depth 0 .claims 2 rdx number 1 1 5 rsi pointer
# proof: state 1 0 0 .distances 0 .block @head .depth 0 .claims 3 rcx number 1 0 99 rdx number 129 1 5 0 s:0 rsi
# proof: pointer state 1 0 0 .distances 0 .block @inner .depth 0 .claims 3 rcx number 1 0 99 rdx number 129 1 5 0 s:0
# proof: rsi pointer state 1 0 0 .distances 0 .block @next .depth 0 .claims 3 rcx number 513 0 101 0 0 rdx number 129
# proof: 1 5 0 s:0 rsi pointer state 1 0 0 .distances 0 .block @last .depth 0 .claims 2 rdx number 129 1 5 0 s:0 rsi
# proof: pointer state 1 0 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov edx, 5
again:	xor ecx, ecx
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
last:	dec rdx
	jne again
	ret
