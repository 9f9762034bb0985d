# attack: 64 bits are divided, and 32 of the quotient kept
# property: P1
# expect: V-31 store-outside-region bad
# state: 7
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, qword ptr [rdi]
	movabs rdx, 0x2492492492492493
	mov rax, rcx
	mul rdx
	mov rax, rcx
	sub rax, rdx
	shr rax, 1
	lea eax, [rax + rdx]
	shr rax, 2
	lea rdx, [rax*8]
	sub rax, rdx
	add rax, rcx
bad:	mov byte ptr [rsi + rax], 1
	ret
