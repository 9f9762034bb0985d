/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Destroys all vector registers, and r10, which the stub uses. The stores to the stack fault unless it is aligned,
 * and not every caller of a function aligns it.
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
