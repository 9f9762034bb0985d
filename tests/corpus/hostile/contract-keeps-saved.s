# attack: a contract that lies: rbx is a scratch register that stays
# property: P6
# expect: V-04 proof-malformed -
# ends: the registers that a function keeps
# state: 64
# proof: 2 @callee .keeps 8 .windows 0 .results 0 .loops 0 .blocks 1 .block @callee .depth 0 .claims 0
# proof: .distances 0 @probe .keeps 0 .windows 0 .results 0 .loops 0 .blocks 1 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	call callee
	ret
callee:
	nop
leave:	ret
