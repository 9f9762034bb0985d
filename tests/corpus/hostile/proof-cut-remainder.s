# attack: a proof that ends before a remainder
# property: P9
# expect: V-04 proof-malformed -
# ends: a claim
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 0 .blocks 1 .block @probe .depth 0 .claims 1 rax number 256 5
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	nop
here:	ret
