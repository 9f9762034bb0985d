# shows: a proof with a remainder: a multiple of twelve below 60 is at most 48
# rules: V-60 V-31
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 0 .blocks 2 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0 .block @here .depth 0 .claims 2
# proof: rax number 257 0 36 12 0 rsi pointer state 1 0 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	and eax, 3
	imul rax, rax, 12
here:	mov qword ptr [rsi + rax + 20], 1
	ret
