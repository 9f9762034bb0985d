# attack: a distance to a register that there is not
# property: P9
# expect: V-04 proof-malformed -
# ends: a claim about a distance
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 0 .blocks 2 .block @probe .depth 0 .claims 0 .distances 0 .block @here .depth 0 .claims 0 .distances 1 rax b:17 0 s:1 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	nop
here:	ret
