# attack: a proof that ends before the number of distances
# property: P9
# expect: V-04 proof-malformed -
# ends: the number of distances
# proof: 1 b:0x80 b:0x80 b:0x80 b:0x80 b:0 .keeps 0 .windows 0 .results 0 .loops 0 .blocks 1 .block b:0x80 b:0x80 b:0x80 b:0x80 b:0 .depth 0 .claims 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	ret
