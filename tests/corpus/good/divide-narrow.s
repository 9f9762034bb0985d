# shows: where neither of two numbers has an upper half, half the register divides
# rules: V-53
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, qword ptr [rdi + 8]
	test rcx, rcx
	je 2f
	mov rax, qword ptr [rdi]
	mov rdx, rax
	or rdx, rcx
	shr rdx, 32
	je 1f
	xor edx, edx
	div rcx
	jmp 2f
1:	div ecx
2:	ret
