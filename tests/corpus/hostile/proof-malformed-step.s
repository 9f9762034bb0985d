# attack: a proof whose loop has a step that can not be turned round
# property: P8
# expect: V-04 proof-malformed -
# ends: a loop's step
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 1 .loop 1 2 0 rax s:-9223372036854775808 0 .blocks 1 .block @probe .depth 0 .claims 2 rsi pointer state
# proof: 1 0 0 rdi pointer event 1 0 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	ret
