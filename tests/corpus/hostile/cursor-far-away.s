# attack: a cursor of which values are so far apart that 64 bits don't say which is ahead
# property: P8
# expect: V-65 cursor-moved-back bad2
# expect: V-65 cursor-moved-back go
# state: 256
# proof: v:2 1 @probe .keeps 0 .windows 0 .results 0 .loops 2 .loop 1 4 0 rdx s:-1 0 .loop 2 3 0 rcx s:1 0 .cursors 1
# proof: .cursor 0 1 1 b:1 .blocks 5 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0
# proof: .distances 0 .block @head .depth 0 .claims 3 rcx number 0 rdx number 1 1 50 rsi pointer state 1 0 0
# proof: .distances 0 .block @inner .depth 0 .claims 3 rcx number 1 0 18446744073709551612 rdx number 129 1 50 0 s:0
# proof: rsi pointer state 1 0 0 .distances 0 .block @next .depth 0 .claims 3 rcx number 0 rdx number 129 1 50 0 s:0
# proof: rsi pointer state 1 0 0 .distances 0 .block @out .depth 0 .claims 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, qword ptr [rdi]
	mov edx, 50
head:	cmp rcx, -3
	jae out
bad2:
inner:	inc rcx
	cmp byte ptr [rsi], 1
	je next
	cmp rcx, -3
go:	jb inner
next:	dec rdx
bad:	jne head
out:	ret
