# attack: the low half of a multiple is taken from all 64 bits
# property: P1
# expect: V-31 store-outside-region bad
# state: 50
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, qword ptr [rdi]
	movabs rax, 0xa3d70a3d70a3d70b
	mov rdx, rcx
	shr rdx, 1
	mul rdx
	shr rdx, 4
	imul rax, rdx, 50
	mov eax, eax
	sub rcx, rax
bad:	mov byte ptr [rsi + rcx], 1
	ret
