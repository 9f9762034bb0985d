# attack: one of two paths leaves a word on the stack
# property: P3
# expect: V-60 claim-not-implied out
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	cmp rax, 1
	je out
	push rax
out:	ret
