# attack: a contract that lies: an index that the caller passes is smaller than it is
# property: P1
# expect: V-60 contract-not-met bad
# state: 64
# proof: 2 @callee .keeps 0 .windows 0 .results 0 .loops 0 .blocks 1 .block @callee .depth 0 .claims 2 rcx number 1 0 63 rsi pointer state 1 0 0
# proof: .distances 0 @probe .keeps 0 .windows 0 .results 0 .loops 0 .blocks 1 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, qword ptr [rdi]
bad:	call callee
	ret
callee:
	mov byte ptr [rsi + rcx], 1
leave:	ret
