# attack: a proof whose stack is deeper than any limit
# property: P6
# expect: V-04 proof-malformed -
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 0 .blocks 2 .block @probe .depth 0 .claims 0
# proof: .distances 0 .block @join .depth 4104 .claims 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	xor eax, eax
join:	ret
