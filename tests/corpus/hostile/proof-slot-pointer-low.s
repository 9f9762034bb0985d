# attack: a proof that lies: the low half of a spilled pointer is a small number
# property: P1
# class: spilled-pointer-overwritten
# expect: V-60 claim-not-implied here
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 0  .blocks 2 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances
# proof: 0 .block @here .depth 0 .claims 2 rsi pointer state 1 0 0 slot:1 number 33 0 5 4 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov qword ptr [rsp - 8], rsi
here:	mov eax, dword ptr [rsp - 8]
	mov byte ptr [rsi + rax], 1
	ret
