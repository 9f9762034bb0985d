# attack: half the register divides where only the dividend is known to have no upper half
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
	and rdx, rcx
	shr rdx, 32
	jne 2f
bad:	div ecx
2:	ret
