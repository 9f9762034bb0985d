# attack: a proof that lies: an address is the number that it was computed from
# property: P1
# expect: V-60 claim-not-implied here
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 0  .blocks 2 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances
# proof: 0 .block @here .depth 0 .claims 3 rax number 64 0 s:0 rcx number 65 0 63 0 s:0 rsi pointer state 1 0 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov ecx, dword ptr [rdi]
	and ecx, 63
	lea rax, [rsi + rcx]
here:	sub rax, rcx
	mov byte ptr [rsi + rax], 1
	ret
