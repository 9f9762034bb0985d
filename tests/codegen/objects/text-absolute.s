	.text
	.globl	probe
	.type	probe, @function
probe:	movabs	$value, %rax
	ret
	.data
value:	.quad	1
