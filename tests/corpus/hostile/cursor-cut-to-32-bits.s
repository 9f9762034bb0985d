# attack: the cursor loses its upper half in the outer loop
# property: P8
# expect: V-65 cursor-moved-back bad
# state: 256
# proof: v:2 1 @probe .keeps 0 .windows 0 .results 0 .loops 2 .loop 1 4 0 rdx s:-1 0 .loop 2 3 0 rcx s:1 0 .cursors 1
# proof: .cursor 0 1 1 b:1 .blocks 5 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0
# proof: .distances 0 .block @head .depth 0 .claims 4 rcx number 513 0 72057594037927936 0 0 rdx number 1 1 50 rsi
# proof: pointer state 1 0 0 r8 number 1 72057594037927936 72057594037927936 .distances 0 .block @inner .depth 0
# proof: .claims 4 rcx number 1 0 72057594037927935 rdx number 129 1 50 0 s:0 rsi pointer state 1 0 0 r8 number 1
# proof: 72057594037927936 72057594037927936 .distances 0 .block @next .depth 0 .claims 4 rcx number 513 0
# proof: 72057594037927936 0 0 rdx number 129 1 50 0 s:0 rsi pointer state 1 0 0 r8 number 1 72057594037927936
# proof: 72057594037927936 .distances 0 .block @out .depth 0 .claims 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, qword ptr [rdi]
	shr rcx, 8
	mov edx, 50
	mov r8, 0x100000000000000
head:	cmp rcx, r8
	jae out
inner:	inc rcx
	cmp byte ptr [rsi], 1
	je next
	cmp rcx, r8
go:	jb inner
next:	mov ecx, ecx
	dec rdx
bad:	jne head
out:	ret
