# attack: the proof claims a pointer to the event where a number is, whose region is not known
# property: P1
# expect: V-60 claim-not-implied here
# says: the proof claims event
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 0 .blocks 2 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0 .block @here .depth 0 .claims 1 rax pointer event 1 0 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	xor eax, eax
here:
	mov rcx, qword ptr [rax]
	ret
