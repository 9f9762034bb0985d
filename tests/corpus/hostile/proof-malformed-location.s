# attack: a proof with a claim about a register that does not exist
# property: P9
# expect: V-04 proof-malformed -
# ends: a claim
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 0  .blocks 2 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances
# proof: 0 .block @here .depth 0 .claims 1 b:17 1 number 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	nop
here:	ret
