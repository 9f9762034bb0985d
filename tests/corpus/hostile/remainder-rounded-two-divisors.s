# attack: four times the quotient by five and once that by ten are not five times either
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
	shr rax, 3
	and rdx, -4
	add rdx, rax
	sub rcx, rdx
bad:	mov byte ptr [rsi + rcx], 1
	ret
