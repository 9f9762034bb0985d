# attack: a mask that clears two bits, not the low two
# property: P1
# expect: V-31 store-outside-region bad
# state: 5
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, qword ptr [rdi]
	movabs rax, 0xcccccccccccccccd
	mul rcx
	mov rax, rdx
	and rdx, -6
	shr rax, 2
	add rdx, rax
	sub rcx, rdx
bad:	mov byte ptr [rsi + rcx], 1
	ret
