# attack: one exit of the inner loop puts the cursor back to where it was at the outer loop's head
# property: P8
# expect: V-65 cursor-moved-back next
# says: isn't known to be as far ahead
# state: 256
# proof: v:2 1 @probe .keeps 0 .windows 0 .results 0 .loops 2 .loop 1 5 0 rdx s:-1 0 .loop 2 3 0 rcx s:1 0 .cursors 1
# proof: .cursor 0 1 1 b:1 .blocks 6 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0
# proof: .distances 0 .block @head .depth 0 .claims 3 rcx number 513 0 98 0 0 rdx number 1 1 50 rsi pointer state 1 0
# proof: 0 .distances 0 .block @inner .depth 0 .claims 4 rcx number 1 0 97 rdx number 129 1 50 0 s:0 rsi pointer
# proof: state 1 0 0 r8 number 1 0 97 .distances 0 .block @back .depth 0 .claims 3 rdx number 129 1 50 0 s:0 rsi
# proof: pointer state 1 0 0 r8 number 1 0 97 .distances 0 .block @next .depth 0 .claims 3 rcx number 513 0 98 0 0
# proof: rdx number 129 1 50 0 s:0 rsi pointer state 1 0 0 .distances 0 .block @out .depth 0 .claims 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	xor ecx, ecx
	mov edx, 50
head:	cmp rcx, 98
	jae out
	mov r8, rcx
inner:	inc rcx
	cmp byte ptr [rsi + rcx], 1
	je next
	cmp byte ptr [rsi + rcx], 2
	je back
	cmp rcx, 98
	jb inner
	jmp next
back:	mov rcx, r8
next:	dec rdx
	jne head
out:	ret
