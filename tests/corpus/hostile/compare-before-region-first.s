# attack: a pointer to before the state comes first in the comparison
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
	mov eax, dword ptr [rdi + 8]
	and eax, 7
	lea rcx, [rsi + rax - 8]
	cmp rcx, rsi
bad:	jbe evil
	xor edx, edx
evil:	mov byte ptr [rsi + rdx], 1
	ret
