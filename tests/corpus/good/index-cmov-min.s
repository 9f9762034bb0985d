# shows: a conditional move clamps the index
# rules: V-31 V-52
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	mov ecx, 63
	cmp rax, 64
	cmovae rax, rcx
	mov byte ptr [rsi + rax], 1
	ret
