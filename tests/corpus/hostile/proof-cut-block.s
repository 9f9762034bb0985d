# attack: a proof that ends before a block
# property: P9
# expect: V-04 proof-malformed -
# ends: a block's address
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 0 .blocks 2 .block b:0x80 b:0x80 b:0x80 b:0x80 b:0 .depth 0 .claims 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	nop
here:	ret
