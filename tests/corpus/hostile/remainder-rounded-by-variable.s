# attack: a mask that may clear the low two bits, or fewer
# property: P1
# expect: V-31 store-outside-region bad
# state: 5
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, qword ptr [rdi]
	mov r8, qword ptr [rdi + 8]
	and r8d, 3
	sub r8, 4
	movabs rax, 0xcccccccccccccccd
	mul rcx
	mov rax, rdx
	and rdx, r8
	shr rax, 2
	add rdx, rax
	sub rcx, rdx
bad:	mov byte ptr [rsi + rcx], 1
	ret
