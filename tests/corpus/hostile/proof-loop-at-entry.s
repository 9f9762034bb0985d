# attack: a proof that lies: a loop at the entry, whose state is fixed
# property: P8
# expect: V-04 proof-malformed -
# says: block 0 must be the entry, with an empty stack, outside loops
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 1 .loop 0 1 0 rax s:1 0 .blocks 1 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	test rax, rax
	je probe
	ret
