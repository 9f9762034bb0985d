# shows: a cursor that is a pointer
# rules: V-65
# state: 256
# max-insns: 1000
# proof: v:2 1 @probe .keeps 0 .windows 0 .results 0 .loops 2 .loop 1 4 0 rdx s:-1 0 .loop 2 3 0 rcx s:1 0 .cursors 1
# proof: .cursor 0 1 1 b:1 .blocks 5 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0
# proof: .distances 0 .block @head .depth 0 .claims 4 rax pointer state 1 98 98 rcx pointer state 513 0 98 0 0 rdx
# proof: number 1 1 50 rsi pointer state 1 0 0 .distances 0 .block @inner .depth 0 .claims 4 rax pointer state 1 98 98
# proof: rcx pointer state 1 0 97 rdx number 129 1 50 0 s:0 rsi pointer state 1 0 0 .distances 0 .block @next .depth 0
# proof: .claims 4 rax pointer state 1 98 98 rcx pointer state 513 0 98 0 0 rdx number 129 1 50 0 s:0 rsi pointer
# proof: state 1 0 0 .distances 0 .block @out .depth 0 .claims 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, rsi
	lea rax, [rsi + 98]
	mov edx, 50
head:	cmp rcx, rax
	jae out
inner:	inc rcx
	cmp byte ptr [rcx], 1
	je next
	cmp rcx, rax
go:	jb inner
next:	dec rdx
bad:	jne head
out:	ret
