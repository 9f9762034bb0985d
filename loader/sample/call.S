/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where C and verified code meet in this process.
 *
 * wl_sample_call(entry, event, state, top) calls an entry, on the stack whose uppermost word is at `top`. The entry
 * may change any register that is in its facts' list of clobbers, and the flags: so all registers that C keeps are
 * kept here. The flags DF and AC are clear, as C has them, and rsp is at the entry as C has it, 8 above a multiple
 * of 16.
 *
 * A slot of an import leads to wl_sample_import_NAME, which calls the C function wl_sample_NAME, with the uppermost
 * word of the stack as its fourth argument. C changes all of the registers that the imports' rows name, and vector
 * registers, which no row names. So their lower halves are kept here; verified code knows no others. rsp need only be
 * a multiple of 8, and is aligned for C.
 */
#include "run.h"

	.intel_syntax noprefix
	.text

	.globl	wl_sample_call
	.hidden	wl_sample_call
	.type	wl_sample_call, @function
	.balign	16
wl_sample_call:
	endbr64
	push	rbp
	push	rbx
	push	r12
	push	r13
	push	r14
	push	r15
	mov	rax, rdi
	mov	rdi, rsi
	mov	rsi, rdx
	mov	[rcx - 8], rsp
	lea	rsp, [rcx - 24]
	call	rax
	mov	rsp, [rsp + 16]
	pop	r15
	pop	r14
	pop	r13
	pop	r12
	pop	rbx
	pop	rbp
	ret
	.size	wl_sample_call, . - wl_sample_call

	.macro import name
	.globl	wl_sample_import_\name
	.hidden	wl_sample_import_\name
	.hidden	wl_sample_\name
	.type	wl_sample_import_\name, @function
	.balign	16
wl_sample_import_\name:
	endbr64
	push	rbp
	mov	rbp, rsp
	and	rsp, -16
	sub	rsp, 256
	.irp	i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	movaps	[rsp + 16 * \i], xmm\i
	.endr
	mov	rcx, rsp
	or	rcx, WL_RUN_STACK - 1
	mov	rcx, [rcx - 7]
	call	wl_sample_\name
	.irp	i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	movaps	xmm\i, [rsp + 16 * \i]
	.endr
	mov	rsp, rbp
	pop	rbp
	ret
	.size	wl_sample_import_\name, . - wl_sample_import_\name
	.endm

	import	read
	import	read_str
	import	match
	import	clock
	import	stack

	.section .note.GNU-stack, "", @progbits
