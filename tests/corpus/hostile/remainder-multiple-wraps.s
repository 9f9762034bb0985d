# attack: the multiple is computed in 32 bits of a quotient that needs more
# property: P1
# expect: V-31 store-outside-region bad
# state: 5
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, qword ptr [rdi]
	mov rax, rcx
	movabs rdx, 0xcccccccccccccccd
	mul rdx
	shr rdx, 2
	lea eax, [rdx + rdx*4]
	sub rcx, rax
bad:	mov byte ptr [rsi + rcx], 1
	ret
