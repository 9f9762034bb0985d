# attack: a proof with 33 loops in one another
# property: P8
# expect: V-04 proof-malformed -
# ends: more than 32 loops in one another
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 33 .loop 1 100 0 rax s:1 0 .loop 2 100 0 rax s:1 0 .loop 3 100 0 rax s:1 0 .loop 4 100 0 rax s:1 0 .loop
# proof: 5 100 0 rax s:1 0 .loop 6 100 0 rax s:1 0 .loop 7 100 0 rax s:1 0 .loop 8 100 0 rax s:1 0 .loop 9 100 0 rax s:1 0 .loop 10 100 0 rax s:1 0 .loop 11 100
# proof: 0 rax s:1 0 .loop 12 100 0 rax s:1 0 .loop 13 100 0 rax s:1 0 .loop 14 100 0 rax s:1 0 .loop 15 100 0 rax s:1 0 .loop 16 100 0 rax s:1 0 .loop 17 100 0
# proof: rax s:1 0 .loop 18 100 0 rax s:1 0 .loop 19 100 0 rax s:1 0 .loop 20 100 0 rax s:1 0 .loop 21 100 0 rax s:1 0 .loop 22 100 0 rax s:1 0 .loop 23 100 0
# proof: rax s:1 0 .loop 24 100 0 rax s:1 0 .loop 25 100 0 rax s:1 0 .loop 26 100 0 rax s:1 0 .loop 27 100 0 rax s:1 0 .loop 28 100 0 rax s:1 0 .loop 29 100 0
# proof: rax s:1 0 .loop 30 100 0 rax s:1 0 .loop 31 100 0 rax s:1 0 .loop 32 100 0 rax s:1 0 .loop 33 100 0 rax s:1 0 .blocks 1 .block @probe .depth 0 .claims
# proof: 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	ret
