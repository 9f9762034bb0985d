# shows: an index that is checked by signed comparisons at both ends
# rules: V-31
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	test rax, rax
	js out
	cmp rax, 63
	jg out
	mov byte ptr [rsi + rax], 1
out:	ret
