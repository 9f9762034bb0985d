# attack: a proof with a function outside the text
# property: P3
# expect: V-04 proof-malformed -
# ends: a function's address
# state: 64
# proof: 1 4096 .keeps 0 .windows 0 .results 0 .loops 0 .blocks 1 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	ret
