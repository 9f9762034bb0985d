# attack: calls the middle of a function
# property: P6
# expect: V-21 call-into-function bad
# state: 64
# proof: 2 @callee .keeps 0 .windows 0 .results 0 .loops 0 .blocks 2 .block @callee 0 0 .distances 0 .block @middle 0 0 .distances 0 @probe .keeps 0 .windows 0 .results 0 .loops 0 .blocks 1 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	call middle
	ret
callee:	nop
middle:	ret
