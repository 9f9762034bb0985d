# attack: bsf of a number that may be zero keeps a destination that was never set
# property: P9
# expect: V-50 read-of-unset-register bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
bad:	bsf rdx, rax
	mov qword ptr [rsi], rdx
	ret
