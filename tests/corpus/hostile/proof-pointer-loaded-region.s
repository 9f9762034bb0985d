# attack: a proof that lies: a pointer into the state at the distance is one into the event
# property: P1
# expect: V-60 claim-not-implied here
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 0 .blocks 3 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0 .block @here .depth 0 .claims 3 rax pointer event 64 0 s:0 rcx number 64 0 s:0 rsi pointer state 1 0 0
# proof: .distances 0 .block @out .depth 0 .claims 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rsi]
	mov rcx, rax
	sub rcx, rsi
here:	cmp rcx, 56
	ja out
	mov rdx, qword ptr [rax]
out:	ret
