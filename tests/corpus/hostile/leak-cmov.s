# attack: a conditional move whose destination was never set
# property: P9
# expect: V-50 read-of-unset-register bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	cmp rax, 1
bad:	cmove rdx, rax
	mov qword ptr [rsi], rdx
	ret
