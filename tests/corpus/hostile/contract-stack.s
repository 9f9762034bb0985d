# attack: a contract that lies: a pointer to the stack of the caller means the same in the callee
# property: P6
# expect: V-04 proof-malformed -
# ends: a claim at a function's entry that a caller can't answer for
# state: 64
# proof: 2 @callee .keeps 0 .windows 0 .results 0 .loops 0 .blocks 1 .block @callee .depth 0 .claims 1 rcx pointer stack 1 0 0
# proof: .distances 0 @probe .keeps 0 .windows 0 .results 0 .loops 0 .blocks 1 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, rsp
	call callee
	ret
callee:
	mov byte ptr [rcx], 1
leave:	ret
