# attack: a contract that lies: a window of the stack is at a place that is not known
# property: P4
# expect: V-60 contract-not-met bad
# says: its place in the stack is not exact
# state: 64
# proof: 2 @callee .keeps 0 .windows 1 8 1 .results 0 .loops 0  .blocks 1 .block @callee .depth 0 .claims 1 rcx pointer b:5 1 0 0 .distances 0 @probe .keeps 0
# proof: .windows 0 .results 0 .loops 0  .blocks 1 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	sub rsp, 32
	mov qword ptr [rsp], 0
	mov qword ptr [rsp + 8], 0
	mov qword ptr [rsp + 16], 0
	mov qword ptr [rsp + 24], 0
	mov rax, qword ptr [rdi]
	and eax, 16
	lea rcx, [rsp + rax]
bad:	call callee
	add rsp, 32
	ret
callee:
	mov qword ptr [rcx], 1
leave:	ret
