# attack: a proof that lies: a counted location stays equal to one that does not move
# property: P1
# expect: V-60 claim-not-implied bad
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 1 .loop 1 2 0 rcx s:-1 .counted 1 rdx s:8 .blocks 2 .block @probe .depth 0 .claims 2 rsi pointer state 1
# proof: 0 0 rdi pointer event 1 0 0 .distances 0 .block @head .depth 0 .claims 4 rax number 65 0 7 0 s:0 rcx number 1 1 8 rdx number 65 0 7 0 s:0 rsi pointer
# proof: state 1 0 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	and eax, 7
	mov rdx, rax
	mov ecx, 8
head:	mov qword ptr [rsi + rax], 1
	add rdx, 8
	dec rcx
bad:	jne head
	ret
