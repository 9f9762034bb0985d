# attack: an arithmetic shift keeps the sign
# property: P1
# class: sign-extension
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	sar rax, 58
bad:	mov byte ptr [rsi + rax], 1
	ret
