# attack: a proof with counted locations out of order
# property: P8
# expect: V-04 proof-malformed -
# says: counted twice
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 1 .loop 1 2 0 rax s:1 2 rdx s:1 rcx s:1 .blocks 1 .block @probe .depth 0 .claims 2 rsi pointer state 1 0
# proof: 0 rdi pointer event 1 0 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	ret
