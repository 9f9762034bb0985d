# shows: registers that a callee does not write stay
# rules: V-60 V-50
# state: 64
# proof: 2 @callee .keeps 64 .windows 0 .results 0 .loops 0 .blocks 1 .block @callee .depth 0 .claims 0
# proof: .distances 0 @probe .keeps 0 .windows 0 .results 0 .loops 0 .blocks 1 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	call callee
	mov byte ptr [rsi + 1], 1
	ret
callee:
	mov eax, 1000
leave:	ret
