# attack: a contract that lies: a vector register stays that the callee writes
# property: P9
# expect: V-60 kept-register-written callee
# proof: 2 @callee .keeps 131072 .windows 0 .results 0 .loops 0 .blocks 1 .block @callee .depth 0 .claims 1 rsi pointer state 1 0 0
# proof: .distances 0 @probe .keeps 0 .windows 0 .results 0 .loops 0 .blocks 1 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	pxor xmm1, xmm1
	push rsi
	call callee
	pop rsi
	movups xmmword ptr [rsi], xmm1
	ret
callee:
	movlps xmm1, qword ptr [rsi]
	ret
