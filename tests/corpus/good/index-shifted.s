# shows: a number shifted right by 58 is at most 63
# rules: V-31
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	shr rax, 58
	mov byte ptr [rsi + rax], 1
	ret
