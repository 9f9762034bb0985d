/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The traced functions, each with an untraced twin of the same code. They differ in what is at their entry: a push, a
 * nop of five bytes, endbr64. Tracers handle these differently. The functions return 3 x + 1. Another function calls
 * itself a given number of times and returns that number.
 */
	.text

.macro function name
	.p2align 6
	.globl	\name
	.type	\name, @function
\name:
	.cfi_startproc
.endm

.macro end name
	.cfi_endproc
	.size	\name, . - \name
	.p2align 6, 0xcc
.endm

.macro pushed name
function \name
	push	%rbx
	.cfi_adjust_cfa_offset 8
	lea	1(%rdi, %rdi, 2), %rax
	pop	%rbx
	.cfi_adjust_cfa_offset -8
	ret
end \name
.endm

.macro padded name
function \name
#ifndef UNPADDED /* one such nop in a program, and uftrace takes it for one made for it */
	.byte	0x0f, 0x1f, 0x44, 0, 0 /* the one nop of five bytes */
#endif
	lea	1(%rdi, %rdi, 2), %rax
	ret
end \name
#ifdef PATCHABLE /* what -fpatchable-function-entry=5 would tell of it */
	.pushsection __patchable_function_entries, "awo", @progbits, \name
	.balign 8
	.quad	\name
	.popsection
#endif
.endm

.macro marked name
function \name
	endbr64
	lea	1(%rdi, %rdi, 2), %rax
	ret
end \name
.endm

.macro recursive name
function \name
	push	%rbx
	.cfi_adjust_cfa_offset 8
	mov	%rdi, %rbx
	xor	%eax, %eax
	test	%rdi, %rdi
	je	1f
	lea	-1(%rdi), %rdi
	call	\name
	inc	%rax
1:	pop	%rbx
	.cfi_adjust_cfa_offset -8
	ret
end \name
.endm

	pushed	plain_push
	pushed	traced_push
	padded	plain_nop
	padded	traced_nop
	marked	plain_endbr64
	marked	traced_endbr64
	recursive plain_recursive
	recursive traced_recursive

	.section .note.GNU-stack, "", @progbits
