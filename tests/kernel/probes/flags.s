# SPDX-License-Identifier: Apache-2.0
# It counts at a place that is no multiple of eight, and fills the rest of its state by a string instruction: test_flags is about what that needs.
	.text
	.globl	on_call
	.type	on_call, @function
on_call:
	incq	(%rsi)
	incq	65(%rsi)
	lea	128(%rsi), %rdi
	mov	$48, %ecx
	movabs	$0x4141414141414141, %rax
	rep stosq
	ret
	.skip	4, 0xcc
	.size	on_call, . - on_call
	.section .note.GNU-stack, "", @progbits
