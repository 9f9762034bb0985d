# attack: a proof with a function of no blocks
# property: P3
# expect: V-04 proof-malformed -
# ends: the number of blocks
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 0  .blocks 0  0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	ret
