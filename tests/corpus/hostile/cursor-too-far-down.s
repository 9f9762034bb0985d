# attack: a cursor farther below zero than differences of 64 bits are integers
# property: P8
# expect: V-65 cursor-moved-back bad2
# expect: V-65 cursor-moved-back go
# state: 256
# proof: v:2 1 @probe .keeps 0 .windows 0 .results 0 .loops 2 .loop 1 4 0 rdx s:-1 0 .loop 2 3 1 rcx s:-1 0 .cursors 1
# proof: .cursor 0 1 1 b:1 .blocks 5 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0
# proof: .distances 0 .block @head .depth 0 .claims 4 rcx number 2 s:-4611686018427387904 s:0 rdx number 1 1 50 rsi
# proof: pointer state 1 0 0 r8 number 2 s:-4611686018427387904 s:-4611686018427387904 .distances 0 .block @inner
# proof: .depth 0 .claims 4 rcx number 2 s:-4611686018427387903 s:0 rdx number 129 1 50 0 s:0 rsi pointer state 1 0 0
# proof: r8 number 2 s:-4611686018427387904 s:-4611686018427387904 .distances 0 .block @next .depth 0 .claims 4 rcx
# proof: number 2 s:-4611686018427387904 s:0 rdx number 129 1 50 0 s:0 rsi pointer state 1 0 0 r8 number 2
# proof: s:-4611686018427387904 s:-4611686018427387904 .distances 0 .block @out .depth 0 .claims 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov edx, 50
	mov r8, -4611686018427387904
	xor ecx, ecx
head:	cmp rcx, r8
	jle out
bad2:
inner:	dec rcx
	cmp byte ptr [rsi], 1
	je next
	cmp rcx, r8
go:	jg inner
next:	dec rdx
bad:	jne head
out:	ret
