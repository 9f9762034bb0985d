# attack: a mask of vector registers that there aren't
# property: P6
# expect: V-04 proof-malformed -
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 0 .blocks 2 .block @probe .depth 0 .claims 0
# proof: .distances 0 .block @join .depth 1 .xmm 65536 .claims 0 .distances 0
# ends: a block's stack depth and xmm registers
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	xor eax, eax
join:	ret
