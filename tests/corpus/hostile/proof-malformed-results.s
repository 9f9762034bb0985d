# attack: a proof with three results
# property: P9
# expect: V-04 proof-malformed -
# ends: the number of results
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 3 rax number 0 rdx number 0 rcx number 0 .loops 0  .blocks 1 .block @probe .depth 0 .claims 2 rsi pointer state 1
# proof: 0 0 rdi pointer event 1 0 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	ret
