# attack: a proof that ends before a function
# property: P9
# expect: V-04 proof-malformed -
# ends: a function's address
# proof: 2 b:0x80 b:0x80 b:0x80 b:0x80 b:0x80 b:0x80 b:0x80 b:0x80 b:0 .keeps b:0x80 b:0x80 b:0x80 b:0x80 b:0 .windows 0 .results 0 .loops 0 .blocks 1 .block @probe .depth 0 .claims 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	nop
here:	ret
