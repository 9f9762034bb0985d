# attack: pointers into two regions differ, though their offsets are equal
# property: P1
# expect: V-60 claim-not-implied bad
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 0  .blocks 2 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances
# proof: 0 .block @evil .depth 0 .claims 2 rdx number 1 0 63 rsi pointer state 1 0 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rdx, qword ptr [rdi]
	cmp rsi, rdi
bad:	jne evil
	xor edx, edx
evil:	mov byte ptr [rsi + rdx], 1
	ret
