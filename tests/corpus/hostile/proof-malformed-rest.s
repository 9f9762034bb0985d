# attack: a proof with a byte after its last function
# property: P3
# expect: V-04 proof-malformed -
# ends: bytes after the last function
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 0  .blocks 1 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances
# proof: 0 b:0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	ret
