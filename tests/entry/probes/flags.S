/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Probes that need the direction flag clear, and alignment checks off. The state is that of test_flags.c: counts, a
 * number at an offset that is no multiple of eight, and many copies of it.
 */
	.macro	PROBE name, site, count
	.section "ward!flags!\site", "ax", @progbits
	.globl	\name
	.type	\name, @function
\name:
	incq	8*\count(%rsi)
	.endm

	.macro	END name
	.size	\name, . - \name
	.endm

	.macro	DISTURB
	incq	65(%rsi)
	lea	128(%rsi), %rdi
	mov	$48, %ecx
	movabs	$0x4141414141414141, %rax
	rep stosq
	.endm

PROBE on_quiet, f_quiet, 0
	ret
END on_quiet

PROBE on_entry, f_work, 1
	mov	(%rdi), %rax
	add	%rax, 40(%rsi)
	DISTURB
	ret
END on_entry

PROBE on_return, f_work:return, 2
	mov	48(%rdi), %rax
	add	%rax, 40(%rsi)
	DISTURB
	ret
END on_return

PROBE on_point, f_point:tests:point, 3
	mov	(%rdi), %rax
	add	%rax, 40(%rsi)
	mov	8(%rdi), %rax
	mov	%rax, 48(%rsi)
	mov	16(%rdi), %rax
	mov	%rax, 56(%rsi)
	DISTURB
	ret
END on_point

PROBE on_throw, f_throws:throw, 4
	DISTURB
	ret
END on_throw
	.section .note.GNU-stack, "", @progbits
