# attack: a proof that lies: the caller is listed before the function that it calls
# property: P8
# expect: V-64 call-not-ordered bad
# state: 64
# proof: 2 @probe .keeps 0 .windows 0 .results 0 .loops 0 .blocks 1 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0 @callee .keeps 0 .windows 0 .results 0 .loops 0 .blocks 1 .block @callee 0 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	call callee
	ret
callee:	ret
