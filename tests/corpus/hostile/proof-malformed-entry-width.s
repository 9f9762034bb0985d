# attack: a proof that claims a partly set number at the entry
# property: P9
# expect: V-04 proof-malformed -
# says: a claim at a function's entry
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 0  .blocks 1 .block @probe .depth 0 .claims 1 rax number 32 16 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	ret
