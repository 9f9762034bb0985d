# attack: a proof that lies: what stands below rsp is still there after a call
# property: P1
# expect: V-60 claim-not-implied here
# state: 64
# proof: 2 @callee .keeps 0 .windows 0 .results 0 .loops 0  .blocks 1 .block @callee .depth 0 .claims 0  .distances 0 @probe .keeps 0 .windows 0 .results 0
# proof: .loops 0  .blocks 2 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0 .block @here .depth 0 .claims 1
# proof: slot:1 number 1 0 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov qword ptr [rsp - 8], 0
	call callee
here:	mov rax, qword ptr [rsp - 8]
	ret
callee:
	ret
