# attack: a result that is no claim: a kind that doesn't exist
# property: P9
# expect: V-04 proof-malformed -
# ends: a claim about a result
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 1 rax 5 .loops 0 .blocks 1 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi
# proof: pointer event 1 0 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	ret
