# attack: another number loses its lowest one
# property: P8
# expect: V-62 loop-not-bounded bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	mov rcx, qword ptr [rdi + 8]
	test rax, rax
	je 2f
1:	lea rdx, [rcx - 1]
	and rax, rdx
bad:	jne 1b
2:	ret
