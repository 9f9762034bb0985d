# attack: registers to keep beyond 32 bits
# property: P9
# expect: V-04 proof-malformed -
# ends: the registers that a function keeps
# proof: 1 @probe .keeps 4294967296 .windows 0 .results 0 .loops 0 .blocks 2 .block @probe .depth 0 .claims 0 .distances 0 .block @here .depth 0 .claims 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	nop
here:	ret
