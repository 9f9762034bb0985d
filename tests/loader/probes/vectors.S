/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All vector registers are destroyed, and r10, in which the stub keeps something. The stores to the stack fault unless
 * it is aligned, which not every caller of a function does.
 */
	.text
	.globl on_any
	.type on_any, @function
on_any:
	incq	(%rsi)
	sub	$40, %rsp
	.irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	pcmpeqd	%xmm\n, %xmm\n
	movaps	%xmm\n, (%rsp)
	.endr
	paddb	(%rsp), %xmm0
	mov	(%rsp), %r10
	add	$40, %rsp
	ret
	.size on_any, . - on_any
	.section .note.GNU-stack, "", @progbits
