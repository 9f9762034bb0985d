# attack: a contract that lies: a result stays what it was
# property: P1
# expect: V-60 kept-register-written callee
# state: 64
# proof: 2 @callee .keeps 1 .windows 0 .results 0 .loops 0 .blocks 1 .block @callee .depth 0 .claims 0
# proof: .distances 0 @probe .keeps 0 .windows 0 .results 0 .loops 0 .blocks 1 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	xor eax, eax
	push rsi
	call callee
	pop rsi
	mov byte ptr [rsi + rax], 1
	ret
callee:
	mov eax, 1000
leave:	ret
