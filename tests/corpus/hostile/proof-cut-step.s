# attack: a proof that ends before a loop's step
# property: P9
# expect: V-04 proof-malformed -
# ends: a loop's step
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 1 .loop b:0x81 b:0x80 b:0x80 b:0x80 b:0 2 0 rax
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	nop
here:	ret
