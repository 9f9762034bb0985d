# attack: a contract that lies: a result is set
# property: P9
# expect: V-60 result-not-as-claimed leave
# state: 64
# proof: 2 @callee .keeps 0 .windows 0 .results 1 rax number 0 .loops 0 .blocks 1 .block @callee .depth 0 .claims 0
# proof: .distances 0 @probe .keeps 0 .windows 0 .results 0 .loops 0 .blocks 1 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rsi
	call callee
	pop rsi
	mov qword ptr [rsi], rax
	ret
callee:
	nop
leave:	ret
