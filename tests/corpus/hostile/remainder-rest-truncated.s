# attack: half of the low half of a number is added to its product: the quotient's dividend has more bits than that
# property: P1
# expect: V-31 store-outside-region bad
# state: 2
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, qword ptr [rdi]
	shr rcx, 2
	mov rax, rcx
	mov edx, 2
	mul rdx
	mov eax, ecx
	sub eax, edx
	shr rax, 1
	add rax, rdx
	add rax, rax
	sub rcx, rax
bad:	mov byte ptr [rsi + rcx], 1
	ret
