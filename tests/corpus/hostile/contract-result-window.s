# attack: a contract that lies: a window is returned
# property: P1
# expect: V-04 proof-malformed -
# ends: a claim about a result
# state: 64
# proof: 2 @callee .keeps 0 .windows 1 8 1 .results 1 rax pointer b:5 1 0 0 .loops 0 .blocks 1 .block @callee .depth 0 .claims 1 rcx pointer b:5 1 0 0
# proof: .distances 0 @probe .keeps 0 .windows 0 .results 0 .loops 0 .blocks 1 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	call callee
	ret
callee:
	mov rax, rcx
leave:	ret
