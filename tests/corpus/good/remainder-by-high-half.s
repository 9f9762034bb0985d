# shows: a remainder of a division of 64 bits by five, from the upper half of a product
# rules: V-31
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
	lea rax, [rdx + rdx*4]
	sub rcx, rax
	mov byte ptr [rsi + rcx], 1
	ret
