# shows: remainders by five and by twelve where the quotient is rounded down by a mask in place of a shift to the left
# rules: V-31
# state: 12
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, qword ptr [rdi]
	movabs rax, 0xcccccccccccccccd
	mul rcx
	mov rax, rdx
	and rdx, -4
	shr rax, 2
	add rdx, rax
	sub rcx, rdx
	mov byte ptr [rsi + rcx + 7], 1
	movzx eax, word ptr [rdi]
	imul ecx, eax, 0xaaab
	shr ecx, 17
	and ecx, -4
	lea ecx, [rcx + rcx*2]
	sub eax, ecx
	mov byte ptr [rsi + rax], 1
	ret
