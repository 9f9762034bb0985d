# attack: a proof with five windows
# property: P1
# expect: V-04 proof-malformed -
# ends: the number of windows
# state: 64
# proof: 1 @probe .keeps 0 .windows 5 8 1 8 1 8 1 8 1 8 1 .results 0 .loops 0  .blocks 1 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer
# proof: event 1 0 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	ret
