# attack: the remainder by seven modulo 2^32 is taken for all of 64 bits
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
	add rax, rdx
	shr rax, 2
	lea edx, [rax*8]
	sub rax, rdx
	add rax, rcx
bad:	mov byte ptr [rsi + rax], 1
	ret
