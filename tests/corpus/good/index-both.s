# shows: one check of two indexes that are joined by or
# rules: V-31
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, qword ptr [rdi + 8]
	mov rax, qword ptr [rdi]
	mov rdx, rax
	or rdx, rcx
	cmp rdx, 63
	ja 2f
	mov byte ptr [rsi + rcx], 1
	mov byte ptr [rsi + rax], 1
2:	ret
