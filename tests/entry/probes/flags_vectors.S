/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses sixteen aligned bytes of the stack. */
	.globl	on_any
	.section "ward!flags!f_work", "ax", @progbits
	.type	on_any, @function
on_any:
	incq	(%rsi)
	pcmpeqd	%xmm13, %xmm13
	movaps	%xmm13, -24(%rsp)
	ret
	.size	on_any, . - on_any
	.section .note.GNU-stack, "", @progbits
