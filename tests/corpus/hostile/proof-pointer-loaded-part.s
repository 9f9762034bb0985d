# attack: of two registers that hold one number only the low byte of one is claimed: the other's turning out to be a pointer doesn't set the rest
# property: P9
# expect: V-35 store-of-host-value bad
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 0 .blocks 3 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0 .block @here .depth 0 .claims 3 rax number 64 0 s:0 rdx number 96 8 0 s:0 rsi pointer state 1 0 0
# proof: .distances 0 .block @out .depth 0 .claims 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rsi]
	mov rdx, rax
here:	mov rcx, rax
	sub rcx, rsi
bad:	mov qword ptr [rsi], rdx
out:	ret
