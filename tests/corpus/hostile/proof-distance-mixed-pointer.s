# attack: a proof that lies: a pointer is the number of a distance between a number and a pointer
# property: P1
# expect: V-60 claim-not-implied here
# says: less 1 times
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 0  .blocks 2 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances
# proof: 0 .block @here .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 1 rsi rdi 1 s:1 1 0 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	nop
here:	nop
	ret
