# attack: a branch on the sign of a number less a pointer says nothing of the number: both edges must be checked
# property: P1
# expect: V-60 claim-not-implied bad
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 0 .blocks 2 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0 .block @evil 0 2 rax number 1 0 0 rsi pointer state 1 0 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	mov ecx, 5
	cmp rcx, rsi
bad:	js evil
	xor eax, eax
evil:	mov byte ptr [rsi + rax], 1
	ret
