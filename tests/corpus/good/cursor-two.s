# shows: two cursors of one nest
# rules: V-65
# state: 256
# max-insns: 2000
# proof: v:2 1 @probe .keeps 0 .windows 0 .results 0 .loops 3 .loop 1 6 0 rdx s:-1 0 .loop 2 3 0 rcx s:1 0 .loop 4 5 0
# proof: r8 s:1 0 .cursors 2 .cursor 0 1 1 b:1 .cursor 0 1 2 b:1 .blocks 7 .block @probe .depth 0 .claims 2 rsi
# proof: pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0 .block @head .depth 0 .claims 4 rcx number 513 0 98
# proof: 0 0 rdx number 1 1 50 rsi pointer state 1 0 0 r8 number 513 0 98 1 0 .distances 0 .block @one .depth 0
# proof: .claims 4 rcx number 1 0 97 rdx number 129 1 50 0 s:0 rsi pointer state 1 0 0 r8 number 513 0 98 1 0
# proof: .distances 0 .block @mid .depth 0 .claims 4 rcx number 513 0 98 0 0 rdx number 129 1 50 0 s:0 rsi pointer
# proof: state 1 0 0 r8 number 513 0 98 1 0 .distances 0 .block @two .depth 0 .claims 4 rcx number 513 0 98 0 0 rdx
# proof: number 129 1 50 0 s:0 rsi pointer state 1 0 0 r8 number 1 0 97 .distances 0 .block @next .depth 0 .claims 4
# proof: rcx number 513 0 98 0 0 rdx number 129 1 50 0 s:0 rsi pointer state 1 0 0 r8 number 513 0 98 1 0 .distances 0
# proof: .block @out .depth 0 .claims 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	xor ecx, ecx
	xor r8d, r8d
	mov edx, 50
head:	cmp rcx, 98
	jae out
one:	inc rcx
	cmp byte ptr [rsi + rcx], 1
	je mid
	cmp rcx, 98
	jb one
mid:	cmp r8, 98
	jae out
two:	inc r8
	cmp byte ptr [rsi + r8], 2
	je next
	cmp r8, 98
	jb two
next:	dec rdx
bad:	jne head
out:	ret
