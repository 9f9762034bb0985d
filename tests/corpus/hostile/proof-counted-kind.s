# attack: a proof that lies: a counted location without any claim
# property: P6
# expect: V-50 read-of-unset-register moved
# expect: V-60 claim-not-implied bad
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 1 .loop 1 2 0 rcx s:-1 .counted 1 rax s:8 .blocks 2 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0 .block @head .depth 0 .claims 2
# proof: rax uninit rcx number 1 1 8 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, rsi
	mov ecx, 8
head:	nop
moved:	add rax, 8
	dec rcx
bad:	jne head
	ret
