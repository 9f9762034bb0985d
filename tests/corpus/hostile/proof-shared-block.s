# attack: a proof that gives two functions the same block
# property: P6
# expect: V-21 block-of-two-functions shared
# expect: V-21 branch-to-other-function bad
# state: 64
# proof: 2 @other .keeps 0 .windows 0 .results 0 .loops 0 .blocks 2 .block @other .depth 0 .claims 0 .distances 0 .block @shared 0 0 .distances 0 @probe .keeps 0 .windows 0 .results 0 .loops 0 .blocks 2 .block @probe .depth 0 .claims 0 .distances 0 .block @shared 0 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	jmp shared
other:
	nop
shared:	ret
