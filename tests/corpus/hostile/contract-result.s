# attack: a contract that lies: a result is smaller than it is
# property: P1
# expect: V-60 result-not-as-claimed leave
# state: 64
# proof: 2 @callee .keeps 0 .windows 0 .results 1 rax number 1 0 63 .loops 0 .blocks 1 .block @callee .depth 0 .claims 1 rdi pointer event 1 0 0
# proof: .distances 0 @probe .keeps 0 .windows 0 .results 0 .loops 0 .blocks 1 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rsi
	call callee
	pop rsi
	mov byte ptr [rsi + rax], 1
	ret
callee:
	mov rax, qword ptr [rdi]
leave:	ret
