/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a locked access to the stack, and records how far that is from a multiple of eight. */
	.globl	on_any
	.section "ward!flags!f_work", "ax", @progbits
	.type	on_any, @function
on_any:
	push	$1
	mov	$1, %eax
	lock xadd %rax, (%rsp)
	pop	%rcx
	dec	%rcx
	add	%rcx, 8(%rsi)
	mov	%rsp, %rax
	and	$7, %eax
	add	%rax, 16(%rsi)
	ret
	.size	on_any, . - on_any
	.section .note.GNU-stack, "", @progbits
