/* SPDX-License-Identifier: Apache-2.0 */
/* A probe that doesn't depend on the flags. */
	.globl	on_any
	.section "ward!flags!f_work", "ax", @progbits
	.type	on_any, @function
on_any:
	incq	8(%rsi)
	push	%rbx
	mov	(%rdi), %rbx
	pop	%rbx
	ret
	.size	on_any, . - on_any
	.section .note.GNU-stack, "", @progbits
