# attack: a proof that lies: the low half of an index is small
# property: P1
# class: bounds-32-64
# expect: V-60 claim-not-implied here
# expect: V-31 store-outside-region here
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 0 .blocks 2 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0 .block @here .depth 0 .claims 2
# proof: rax number 4 0 63 rsi pointer state 1 0 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
here:	mov byte ptr [rsi + rax], 1
	ret
