# Two global functions, one of them without a type, and a local one.
	.text
	.globl	typed
	.type	typed, @function
typed:	call	local
	ret
	.globl	untyped
untyped: mov	table(%rip), %rax
	ret
	.type	local, @function
local:	incq	counter(%rip)
	ret
	.section .rodata
table:	.quad	7
	.bss
	.align	8
counter: .zero	8
	.section .note.GNU-stack,"",@progbits
