# attack: a proof that lies: the function that goes on in another one is listed before it
# property: P8
# expect: V-64 call-not-ordered bad
# state: 64
# proof: 2 @probe .keeps 0 .windows 0 .results 0 .loops 0  .blocks 1 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances
# proof: 0 @callee .keeps 0 .windows 0 .results 0 .loops 0  .blocks 1 .block @callee .depth 0 .claims 0  .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	jmp callee
callee:
	ret
