# attack: a contract that lies: a value that a caller keeps in its stack survives the call that gets it as a window
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
# proof: 2 @callee .keeps 0 .windows 1 8 1 .results 0 .loops 0 .blocks 1 .block @callee .depth 0 .claims 1 rcx pointer b:5 1 0 0
# proof: .distances 0 @probe .keeps 0 .windows 0 .results 0 .loops 0 .blocks 1 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push 5
	mov rcx, rsp
	push rsi
	call callee
	pop rsi
	pop rax
bad:	mov byte ptr [rsi + rax], 1
	ret
callee:
	mov qword ptr [rcx], 1000
leave:	ret
