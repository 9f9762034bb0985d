	.text
	.globl	probe
	.type	probe, @function
probe:	call	puts@PLT
	mov	environ(%rip), %rax
	ret
