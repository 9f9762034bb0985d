# attack: a proof that lies: a counted number becomes a pointer on the way
# property: P1
# expect: V-60 claim-not-implied bad
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 1 .loop 1 2 0 rcx s:-1 .counted 1 rax s:8 .blocks 2 .block @probe .depth 0 .claims 2 rsi pointer state 1
# proof: 0 0 rdi pointer event 1 0 0 .distances 0 .block @head .depth 0 .claims 3 rax number 1 0 0 rcx number 1 1 8 rsi pointer state 1 0 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	xor eax, eax
	mov ecx, 8
head:	mov qword ptr [rsi + rax], 1
	lea rax, [rsi + rax + 8]
	dec rcx
bad:	jne head
	ret
