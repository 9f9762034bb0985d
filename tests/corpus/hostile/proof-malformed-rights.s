# attack: a proof with a window of rights that do not exist
# property: P1
# expect: V-04 proof-malformed -
# ends: a window
# state: 64
# proof: 1 @probe .keeps 0 .windows 1 8 2 .results 0 .loops 0  .blocks 1 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0
# proof: .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	ret
