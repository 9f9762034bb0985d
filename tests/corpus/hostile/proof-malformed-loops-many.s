# attack: more loops than the proof has bytes for
# property: P9
# expect: V-04 proof-malformed -
# ends: the number of loops
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 99 .blocks 2 .block @probe .depth 0 .claims 0 .distances 0 .block @here .depth 0 .claims 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	nop
here:	ret
