# attack: computes with a register that the host left behind
# property: P9
# expect: V-50 read-of-unset-register bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, 1
bad:	add rax, r10
	mov qword ptr [rsi], rax
	ret
