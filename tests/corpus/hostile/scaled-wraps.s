# attack: sixteen times a number of 64 bits, less the number: divided by 2^60 the first is at most 15 times what the other is
# property: P1
# expect: V-31 store-outside-region bad
# state: 16
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, qword ptr [rdi]
	mov rax, rcx
	shl rax, 4
	mov rdx, rcx
	shr rdx, 60
	sub rax, rcx
	shr rax, 59
bad:	mov byte ptr [rsi + rax], 1
	ret
