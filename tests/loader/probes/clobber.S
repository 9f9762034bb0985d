/* SPDX-License-Identifier: Apache-2.0 */
/* Destroys everything that a probe may destroy, and uses more stack than the target's could spare. */
	.text
	.globl on_any
	.type on_any, @function
on_any:
	incq	(%rsi)
	sub	$1024, %rsp
	mov	$-1, %rax
	mov	%rax, (%rsp)
	mov	%rax, 1016(%rsp)
	mov	%rax, %rcx
	mov	%rax, %rdx
	mov	%rax, %rsi
	mov	%rax, %rdi
	mov	%rax, %r8
	mov	%rax, %r9
	mov	%rax, %r10
	mov	%rax, %r11
	add	$1024, %rsp
	ret
	.size on_any, . - on_any
	.section .note.GNU-stack, "", @progbits
