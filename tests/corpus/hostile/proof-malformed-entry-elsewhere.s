# attack: a proof whose first block is not the entry
# property: P3
# expect: V-04 proof-malformed -
# says: block 0 must be the entry
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 0  .blocks 1 .block @here .depth 0 .claims 0  .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	nop
here:	ret
