/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts entries and returns of functions whose results are flags, and sums what else they return. The state is that
 * of test_flags.c.
 */
	.macro	PROBE name, site, count
	.section "ward!flags!\site", "ax", @progbits
	.globl	\name
	.type	\name, @function
\name:
	incq	8*\count(%rsi)
	.if	\count == 2
	mov	56(%rdi), %rax /* ev->caller says if it is a tail call: without it the probe wouldn't run there */
	mov	48(%rdi), %rax
	add	%rax, 40(%rsi)
	.endif
	ret
	.size	\name, . - \name
	.endm

PROBE on_less, *_less, 1
PROBE on_less_left, *_less:return, 2
PROBE on_adc, *_adc, 1
PROBE on_adc_left, *_adc:return, 2
PROBE on_tail, *_tail, 1
PROBE on_tail_left, *_tail:return, 2
	.section .note.GNU-stack, "", @progbits
