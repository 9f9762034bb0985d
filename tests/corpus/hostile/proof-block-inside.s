# attack: a proof with a block inside an instruction
# property: P6
# class: instruction-overlap
# expect: V-20 block-inside-instruction long+1
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 0 .blocks 2 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0 .block @long+1 0 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
long:	mov eax, 0x050f
	ret
