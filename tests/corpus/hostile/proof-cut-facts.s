# attack: a proof that ends before the facts of a claim
# property: P9
# expect: V-04 proof-malformed -
# ends: a claim
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 0 .blocks 1 .block @probe .depth 0 .claims 1 rax number
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	nop
here:	ret
