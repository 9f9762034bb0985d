# shows: a difference of two numbers that aren't equal is not zero
# rules: V-53
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, qword ptr [rdi]
	sub rcx, qword ptr [rsi]
	je 1f
	mov rax, qword ptr [rdi + 8]
	xor edx, edx
	div rcx
1:	ret
