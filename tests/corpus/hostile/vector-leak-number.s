# attack: a vector register's first content becomes a number
# property: P9
# expect: V-50 read-of-unset-register bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	movq rax, xmm1
	mov qword ptr [rsi], rax
	ret
