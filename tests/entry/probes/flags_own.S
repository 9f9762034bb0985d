/* SPDX-License-Identifier: Apache-2.0 */
/* Does what the probes of flags.S do, for one given site. */
	.globl	on_any
	.section "ward!flags!f_work", "ax", @progbits
	.type	on_any, @function
on_any:
	incq	8(%rsi)
	incq	65(%rsi)
	lea	128(%rsi), %rdi
	mov	$48, %ecx
	movabs	$0x4141414141414141, %rax
	rep stosq
	ret
	.size	on_any, . - on_any
	.section .note.GNU-stack, "", @progbits
