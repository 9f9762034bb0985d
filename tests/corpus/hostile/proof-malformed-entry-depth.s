# attack: a proof with a stack at the entry that is not empty
# property: P4
# expect: V-04 proof-malformed -
# says: block 0 must be the entry
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 0  .blocks 1 .block @probe .depth 8 .claims 0  .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	ret
