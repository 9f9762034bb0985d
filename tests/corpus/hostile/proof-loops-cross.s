# attack: a proof that lies: two loops overlap, neither in the other
# property: P8
# expect: V-04 proof-malformed -
# state: 64
# proof: 1 @probe .loops 2 .loop 1 3 0 rax s:1 0 .loop 2 4 0 rax s:1 0 .blocks 4 .block @probe 0 0 .block @a 0 0 .block @b 0 0 .block @c 0 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	nop
a:	nop
b:	nop
c:	ret
