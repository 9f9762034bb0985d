# attack: a proof that ends before a window's rights
# property: P9
# expect: V-04 proof-malformed -
# ends: a window
# proof: 1 @probe .keeps 0 .windows 1 b:0x80 b:0x80 b:0x80 b:0x80 b:0x80 b:0x80 b:0x80 b:0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	nop
here:	ret
