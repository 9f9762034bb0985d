# attack: a proof that relates what comes in at the entry
# property: P1
# expect: V-04 proof-malformed -
# ends: a claim at a function's entry that a caller can't answer for
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 0  .blocks 1 .block @probe .depth 0 .claims 2 rax number 64 0 s:0 rcx number 64 0 s:0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	ret
