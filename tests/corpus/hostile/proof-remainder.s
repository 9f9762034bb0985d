# attack: a proof that lies: a number is a multiple of eight
# property: P1
# expect: V-60 claim-not-implied here
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 0 .blocks 3 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0 .block @here .depth 0 .claims 2
# proof: rax number 257 0 63 8 0 rsi pointer state 1 0 0 .distances 0 .block @out .depth 0 .claims 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	and eax, 63
here:	cmp rax, 57
	jae out
	mov qword ptr [rsi + rax], 1
out:	ret
