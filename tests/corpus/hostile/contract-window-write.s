# attack: a contract that lies: a window passed for reading may be written
# property: P7
# expect: V-32 store-to-readonly bad
# state: 64
# proof: 2 @callee .keeps 0 .windows 1 8 0 .results 0 .loops 0 .blocks 1 .block @callee .depth 0 .claims 1 rcx pointer b:5 1 0 0
# proof: .distances 0 @probe .keeps 0 .windows 0 .results 0 .loops 0 .blocks 1 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, rdi
	call callee
	ret
callee:
bad:	mov qword ptr [rcx], 1
leave:	ret
