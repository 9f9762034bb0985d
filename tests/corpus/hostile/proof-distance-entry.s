# attack: a proof with a distance at the entry, which no caller answers for
# property: P6
# expect: V-04 proof-malformed -
# ends: the number of distances
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 0 .blocks 1 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 1 rsi rdi 0 s:1 1 0 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	ret
