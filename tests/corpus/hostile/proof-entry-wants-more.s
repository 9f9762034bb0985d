# attack: a proof that wants more at the entry than the host gives
# property: P6
# expect: V-26 entry-wants-more probe
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 0 .blocks 1 .block @probe 0 1 rax pointer state 1 0 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov byte ptr [rax], 1
	ret
