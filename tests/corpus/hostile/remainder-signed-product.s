# attack: the upper half is that of a signed product
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
	imul rdx
	shr rdx, 2
	lea rax, [rdx + rdx*4]
	sub rcx, rax
bad:	mov byte ptr [rsi + rcx], 1
	ret
