# attack: a proof with a ghost of a loop that does not exist
# property: P6
# expect: V-04 proof-malformed -
# ends: a claim about a loop's ghost outside the loop
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 0 .blocks 2 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0 .block @here 0 1 rax number 128 0 s:0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	nop
here:	ret
