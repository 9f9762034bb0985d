# shows: a loop that clears the lowest one until nothing is left runs once for each of 64 at most; the same that shifts
# rules: V-62 V-31
# state: 128
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	test rax, rax
	je 2f
1:	bsf rcx, rax
	mov byte ptr [rsi + rcx], 1
	lea rdx, [rax - 1]
	and rax, rdx
	jne 1b
2:	mov rax, qword ptr [rdi]
	xor ecx, ecx
3:	test rax, rax
	je 4f
	mov byte ptr [rsi + 64], 2
	shr rax, 1
	jmp 3b
4:	ret
