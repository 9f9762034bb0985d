# attack: x & (x - 2) leaves an odd number as it is
# property: P8
# expect: V-62 loop-not-bounded bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	test rax, rax
	je 2f
1:	lea rdx, [rax - 2]
	and rax, rdx
bad:	jne 1b
2:	ret
