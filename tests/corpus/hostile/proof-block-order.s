# attack: a proof whose blocks are not in an order in which branches go forward
# property: P8
# expect: V-61 back-edge-outside-loop second
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 0 .blocks 3 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0 .block @third 0 0 .distances 0 .block @second 0 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	jmp second
second:	jmp third
third:	ret
