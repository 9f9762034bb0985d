# shows: a proof that says that a pointer is the state and four times a number
# rules: V-60 V-31
# state: 252
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 0 .blocks 3 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0 .block @here .depth 0 .claims 3 rax number 1 0 63 rcx pointer state 0 rsi pointer state 1 0 0 .distances 1 rax rcx 1 s:4 1 0 0 .block @out .depth 0 .claims 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	and eax, 63
	lea rcx, [rsi + rax*4]
	nop
here:	cmp rax, 0
	je out
	mov dword ptr [rcx - 4], 1
out:	ret
