# attack: shifts an odd number of ones to the right, which stay
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
1:	sar rax, 1
bad:	jne 1b
2:	ret
