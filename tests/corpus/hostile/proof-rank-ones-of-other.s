# attack: a proof that lies: the number has fewer ones than another one, as it had before
# property: P8
# expect: V-62 loop-not-bounded bad
# says: is not moved by a known step
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 1 .loop 1 2 5 rax s:-1 0 .blocks 3 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0
# proof: .block @head .depth 0 .claims 2 rax number 1 1 18446744073709551615 rcx number 1 1 18446744073709551615 .distances 0 .block @out .depth 0 .claims 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	mov rcx, qword ptr [rdi + 8]
	test rax, rax
	je out
	test rcx, rcx
	je out
head:	lea rax, [rcx - 1]
	and rax, rcx
bad:	jne head
out:	ret
