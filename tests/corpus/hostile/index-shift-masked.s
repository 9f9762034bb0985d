# attack: a shift count of 64 is one of 0: nothing is shifted out
# property: P1
# class: shift-by-width
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	mov ecx, 64
	shr rax, cl
bad:	mov byte ptr [rsi + rax], 1
	ret
