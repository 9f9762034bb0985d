# shows: one copy of an index is checked and another used
# rules: V-31
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	mov rcx, rax
	cmp rax, 63
	ja out
	mov byte ptr [rsi + rcx], 1
out:	ret
