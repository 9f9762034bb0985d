	.text
	.globl	probe
	.type	probe, @function
probe:	mov	%fs:mine@TPOFF, %rax
	ret
	.section .tbss,"awT",@nobits
	.type	mine, @object
mine:	.zero	8
