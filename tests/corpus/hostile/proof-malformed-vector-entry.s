# attack: vector registers claimed at a function's entry, where no caller passes any
# property: P9
# expect: V-04 proof-malformed -
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 0 .blocks 1 .block @probe .depth 1 .xmm 1 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0
# ends: a block's stack depth and xmm registers
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	movups xmmword ptr [rsi], xmm0
	ret
