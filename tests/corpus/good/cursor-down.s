# shows: a cursor that goes down
# rules: V-65
# state: 256
# max-insns: 1000
# proof: v:2 1 @probe .keeps 0 .windows 0 .results 0 .loops 2 .loop 1 4 0 rdx s:-1 0 .loop 2 3 0 rcx s:-1 0 .cursors 1
# proof: .cursor 0 1 1 b:1 .blocks 5 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0
# proof: .distances 0 .block @head .depth 0 .claims 3 rcx number 513 0 98 0 0 rdx number 1 1 50 rsi pointer state 1 0
# proof: 0 .distances 0 .block @inner .depth 0 .claims 3 rcx number 1 1 98 rdx number 129 1 50 0 s:0 rsi pointer state
# proof: 1 0 0 .distances 0 .block @next .depth 0 .claims 3 rcx number 513 0 98 0 0 rdx number 129 1 50 0 s:0 rsi
# proof: pointer state 1 0 0 .distances 0 .block @out .depth 0 .claims 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov ecx, 98
	mov edx, 50
head:	test rcx, rcx
	je out
inner:	dec rcx
	cmp byte ptr [rsi + rcx], 1
	je next
	test rcx, rcx
go:	jne inner
next:	dec rdx
bad:	jne head
out:	ret
