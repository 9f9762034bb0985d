# attack: a quotient that need not fit
# property: P10
# expect: V-53 quotient-may-overflow bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	mov rdx, qword ptr [rdi + 8]
	mov ecx, 10
bad:	div rcx
	mov qword ptr [rsi], rax
	ret
