# attack: jumps into an instruction, where the proof has no block
# property: P3
# class: instruction-overlap
# expect: V-20 branch-into-instruction bad
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 0  .blocks 1 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances
# proof: 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	cmp dword ptr [rsi], 1
bad:	jb inside + 1
	nop
inside:	mov eax, 0xc3c3c3c3
	ret
