# attack: claims the whole of a vector register that is set only in half
# property: P9
# expect: V-60 claim-not-implied join
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 0 .blocks 2 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0
# proof: .distances 0 .block @join .depth 1 .xmm 16 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	movhps xmm4, qword ptr [rsi]
join:	movups xmmword ptr [rsi], xmm4
	ret
