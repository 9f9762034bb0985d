# attack: a proof that lies: a slot holds the pointer that was overwritten in part
# property: P1
# class: spilled-pointer-overwritten
# expect: V-60 claim-not-implied here
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 0  .blocks 2 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances
# proof: 0 .block @here .depth 0 .claims 1 slot:1 pointer state 1 0 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov qword ptr [rsp - 8], rsi
	mov byte ptr [rsp - 8], 64
here:	mov rax, qword ptr [rsp - 8]
	mov qword ptr [rax], 1
	ret
