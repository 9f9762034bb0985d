# attack: a proof with loops out of order
# property: P8
# expect: V-04 proof-malformed -
# ends: loops don't nest
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 2 .loop 2 3 0 rax s:1 0 .loop 1 4 0 rax s:1 0 .blocks 1 .block @probe .depth 0 .claims 2 rsi pointer
# proof: state 1 0 0 rdi pointer event 1 0 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	ret
