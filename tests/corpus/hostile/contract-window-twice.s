# attack: a contract that lies: two pointers to one window, for which the caller may pass two places
# property: P1
# expect: V-04 proof-malformed -
# ends: two registers pass one window
# state: 64
# proof: 2 @callee .keeps 0 .windows 1 8 0 .results 0 .loops 0 .blocks 1 .block @callee .depth 0 .claims 3 rcx pointer b:5 1 0 0 rdx pointer b:5 1 0 0 rsi pointer state 1 0 0
# proof: .distances 0 @probe .keeps 0 .windows 0 .results 0 .loops 0 .blocks 1 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, rsi
	mov rdx, rdi
	call callee
	ret
callee:
	sub rcx, rdx
	mov byte ptr [rsi + rcx], 1
leave:	ret
