# attack: a loop whose head has too great a number
# property: P9
# expect: V-04 proof-malformed -
# ends: a loop's range of blocks
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 1 .loop 4294967295 2 0 rax s:-1 .counted 0 .blocks 2 .block @probe .depth 0 .claims 0 .distances 0 .block @here .depth 0 .claims 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	nop
here:	ret
