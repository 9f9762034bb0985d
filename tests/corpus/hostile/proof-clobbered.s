# attack: a proof that lies: rbx, which it claims nothing of, is as at the entry
# property: P5
# expect: V-60 claim-not-implied here
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 0 .blocks 2 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0 .block @here .depth 0 .claims 0
# proof: .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	xor ebx, ebx
here:	ret
