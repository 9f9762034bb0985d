	.text
	.globl	probe
	.type	probe, @function
probe:	mov	names(%rip), %rax
	ret
	.data
	.type	names, @object
names:	.quad	text
	.section .rodata
text:	.string	"text"
