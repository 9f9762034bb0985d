# attack: the upper 31 bits of two numbers are zero, not 32
# property: P10
# expect: V-53 division-by-possible-zero bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, qword ptr [rdi + 8]
	test rcx, rcx
	je 2f
	mov rax, qword ptr [rdi]
	mov rdx, rax
	or rdx, rcx
	shr rdx, 33
	jne 2f
bad:	div ecx
2:	ret
