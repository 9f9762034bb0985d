# attack: a proof with more claims than there are locations
# property: P3
# expect: V-04 proof-malformed -
# ends: the number of claims
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 0  .blocks 1 .block @probe .depth 0 .claims 100000 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	ret
