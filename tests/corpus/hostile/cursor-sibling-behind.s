# attack: a second inner loop begins where the first one began
# property: P8
# expect: V-65 cursor-moved-back bad
# state: 256
# proof: v:2 1 @probe .keeps 0 .windows 0 .results 0 .loops 3 .loop 1 6 0 rdx s:-1 0 .loop 2 3 0 r8 s:1 0 .loop 4 5 0
# proof: r9 s:1 0 .cursors 1 .cursor 0 2 1 b:1 2 b:1 .blocks 7 .block @probe .depth 0 .claims 2 rsi pointer state 1 0
# proof: 0 rdi pointer event 1 0 0 .distances 0 .block @head .depth 0 .claims 3 rcx number 513 0 98 0 0 rdx number 1 1
# proof: 50 rsi pointer state 1 0 0 .distances 0 .block @one .depth 0 .claims 4 rcx number 1 0 97 rdx number 129 1 50
# proof: 0 s:0 rsi pointer state 1 0 0 r8 number 1 0 97 .distances 0 .block @mid .depth 0 .claims 4 rcx number 1 0 97
# proof: rdx number 129 1 50 0 s:0 rsi pointer state 1 0 0 r8 number 513 0 97 0 0 .distances 0 .block @two .depth 0
# proof: .claims 3 rdx number 129 1 50 0 s:0 rsi pointer state 1 0 0 r9 number 1 0 97 .distances 0 .block @next .depth
# proof: 0 .claims 3 rdx number 129 1 50 0 s:0 rsi pointer state 1 0 0 r9 number 513 0 98 0 0 .distances 0 .block @out
# proof: .depth 0 .claims 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	xor ecx, ecx
	mov edx, 50
head:	mov r8, rcx
	cmp r8, 98
	jae out
one:	inc r8
	cmp r8, 98
	jae out
	cmp byte ptr [rsi + r8], 1
	je one
mid:	mov r9, rcx
bad:
two:	inc r9
	cmp r9, 98
	jae next
	cmp byte ptr [rsi + r9], 2
	je two
next:	mov rcx, r9
	dec rdx
	jne head
out:	ret
