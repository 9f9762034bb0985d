# attack: a proof that lies: two loops overlap, neither in the other
# property: P8
# expect: V-04 proof-malformed -
# ends: loops don't nest
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 2 .loop 1 3 0 rax s:1 0 .loop 2 4 0 rax s:1 0 .blocks 4 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0 .block @a 0 0 .distances 0 .block @b 0 0 .distances 0 .block @c 0 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	nop
a:	nop
b:	nop
c:	ret
