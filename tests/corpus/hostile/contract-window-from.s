# attack: a contract that lies: a window is passed by a pointer that may stand before it
# property: P1
# expect: V-60 contract-not-met bad
# says: the caller must pass the window's start
# state: 64
# proof: 2 @callee .keeps 0 .windows 1 16 1 .results 0 .loops 0  .blocks 1 .block @callee .depth 0 .claims 1 rcx pointer b:5 1 0 8 .distances 0 @probe .keeps 0
# proof: .windows 0 .results 0 .loops 0  .blocks 1 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	lea rcx, [rsi + 8]
bad:	call callee
	ret
callee:
	mov qword ptr [rcx], 1
leave:	ret
