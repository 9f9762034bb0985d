/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The floors: the lowest cost of an event, by code written by hand. floors.c copies one of these near a function,
 * appends the function's first instructions and a jump behind them, and redirects the function's entry here by a jump
 * of five bytes. By the ABI r10 and r11 are free at a function's entry and after its return. That holds for all
 * functions that are traced here; their callers keep nothing there.
 *
 *	L1	a counter of the thread's own is incremented
 *	L2	16 bytes are recorded in a ring of the thread's own: the time and the first argument
 *	L3      entry and return are counted; the return address is taken off the stack and the function *called*,
 *	  so that the processor's prediction of returns stays in step
 *	L4	as L3, with the time at each end, and the differences added up
 */
	.section .rodata

.macro floor name
	.p2align 4
	.globl	\name, \name\()_end
\name:
.endm

floor floor_l1
	incq	%fs:floor_entries@tpoff
floor_l1_end:

floor floor_l2
	push	%rax
	push	%rdx
	rdtsc
	shl	$32, %rdx
	or	%rdx, %rax
	mov	%fs:floor_head@tpoff, %r11
	and	$0xfff0, %r11d
	mov	%rax, %fs:floor_ring@tpoff(%r11)
	mov	%rdi, %fs:floor_ring@tpoff+8(%r11)
	addq	$16, %fs:floor_head@tpoff
	pop	%rdx
	pop	%rax
floor_l2_end:

.macro enter
	mov	%fs:floor_depth@tpoff, %r11
	incq	%fs:floor_entries@tpoff
	pop	%r10
	mov	%r10, %fs:floor_side@tpoff(%r11)
	add	$16, %r11
	mov	%r11, %fs:floor_depth@tpoff
.endm

.macro leave_by
	mov	%fs:floor_depth@tpoff, %r11
	sub	$16, %r11
	incq	%fs:floor_returns@tpoff
	mov	%r11, %fs:floor_depth@tpoff
.endm

floor floor_l3
	enter
	call	1f
	leave_by
	push	%fs:floor_side@tpoff(%r11)
	ret
1:
floor_l3_end:

floor floor_l4
	enter
	push	%rax
	push	%rdx
	rdtsc
	shl	$32, %rdx
	or	%rdx, %rax
	mov	%rax, %fs:floor_side@tpoff-8(%r11)
	pop	%rdx
	pop	%rax
	call	1f
	leave_by
	push	%rax
	push	%rdx
	rdtsc
	shl	$32, %rdx
	or	%rdx, %rax
	sub	%fs:floor_side@tpoff+8(%r11), %rax
	add	%rax, %fs:floor_elapsed@tpoff
	pop	%rdx
	pop	%rax
	push	%fs:floor_side@tpoff(%r11)
	ret
1:
floor_l4_end:

	.section .note.GNU-stack, "", @progbits
