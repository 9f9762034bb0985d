# attack: one instruction less than two loops take that move a cursor together
# property: P8
# expect: V-63 too-many-instructions head
# state: 256
# max-insns: 1270
# proof: v:2 1 @probe .keeps 0 .windows 0 .results 0 .loops 2 .loop 1 4 0 rcx s:1 0 .loop 2 3 0 rcx s:1 0 .cursors 1
# proof: .cursor 0 2 0 b:0 1 b:1 .blocks 5 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event
# proof: 1 0 0 .distances 0 .block @head .depth 0 .claims 2 rcx number 1 0 97 rsi pointer state 1 0 0 .distances 0
# proof: .block @inner .depth 0 .claims 3 rcx number 1 0 97 rsi pointer state 1 0 0 r8 number 129 0 97 0 s:0
# proof: .distances 1 r8 rcx 0 s:1 1 0 97 .block @next .depth 0 .claims 3 rcx number 513 1 97 0 0 rsi pointer state 1
# proof: 0 0 r8 number 129 0 97 0 s:0 .distances 1 r8 rcx 0 s:1 1 1 97 .block @out .depth 0 .claims 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	xor ecx, ecx
head:	mov r8, rcx
inner:	inc rcx
	cmp rcx, 98
	jae out
	cmp byte ptr [rsi + rcx], 1
	je inner
next:	cmp byte ptr [rsi + rcx], 2
	jne head
out:	ret
