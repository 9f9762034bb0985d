# attack: a mask that is at least 63 is not 63: the number under it may change
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	and eax, 63
	mov rcx, qword ptr [rdi + 8]
	and ecx, 63
	add rcx, 63
	mov rdx, rax
	and rax, rcx
	sub rdx, rax
bad:	mov byte ptr [rsi + rdx * 2], 1
	ret
