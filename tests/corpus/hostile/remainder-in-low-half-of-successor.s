# attack: the low half of the number after s, less that of a multiple of the quotient of s: 50 is no remainder
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
	dec eax
	sub ecx, eax
bad:	mov byte ptr [rsi + rcx], 1
	ret
