/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls for flags.cc, with parts of the processor's state that hardly any program uses, and functions whose results
 * are flags.
 */

/*
 * uint64_t flags_call(struct calling *c): calls c->function(c->argument[0], c->argument[1]) with c->set of the flags
 * set as well, the stack pointer c->off bytes lower, and all else as *c has it. What is found when it has returned is
 * in *c then, and the processor's state is what it was.
 */
	.set	FUNCTION, 0
	.set	ARGUMENT, 8
	.set	SET, 24
	.set	OFF, 32
	.set	RESULT, 40
	.set	FLAGS, 48
	.set	MXCSR, 56
	.set	MXCSR_AFTER, 60
	.set	X87, 64
	.set	X87_AFTER, 66
	.set	HAS_YMM, 68
	.set	MM, 72
	.set	MM_AFTER, 80
	.set	YMM, 96
	.set	YMM_AFTER, 128

	.text
	.globl	flags_call
	.type	flags_call, @function
flags_call:
	push	%rbx
	push	%rbp
	push	%r12
	push	%r13
	sub	$24, %rsp
	stmxcsr	(%rsp)
	fnstcw	8(%rsp)
	pushf
	pop	%r13
	mov	%rdi, %rbx
	mov	%rsp, %rbp
	ldmxcsr	MXCSR(%rbx)
	movq	MM(%rbx), %mm5
	fldcw	X87(%rbx)
	cmpl	$0, HAS_YMM(%rbx)
	je	1f
	vmovdqa	YMM(%rbx), %ymm13
1:	sub	OFF(%rbx), %rsp
	mov	%r13, %rax
	or	SET(%rbx), %rax
	mov	ARGUMENT(%rbx), %rdi
	mov	ARGUMENT+8(%rbx), %rsi
	push	%rax
	popf
	call	*FUNCTION(%rbx)
	pushf
	pop	%r12
	mov	%rbp, %rsp
	push	%r13
	popf
	mov	%rax, RESULT(%rbx)
	mov	%r12, FLAGS(%rbx)
	cmpl	$0, HAS_YMM(%rbx)
	je	2f
	vmovdqa	%ymm13, YMM_AFTER(%rbx)
2:	movq	%mm5, MM_AFTER(%rbx)
	fnstcw	X87_AFTER(%rbx)
	stmxcsr	MXCSR_AFTER(%rbx)
	emms
	fldcw	8(%rsp)
	ldmxcsr	(%rsp)
	mov	%r12, %rax
	add	$24, %rsp
	pop	%r13
	pop	%r12
	pop	%rbp
	pop	%rbx
	ret
	.size	flags_call, . - flags_call

/* A tracepoint with arguments at places that are no multiples of their width, and where the carry flag is live. */
	.globl	f_point
	.type	f_point, @function
f_point:
	push	%rax
	movabs	$0x8877665544332211, %rax
	mov	%rax, (%rsp)
	stc
9990:	nop
	.pushsection .note.stapsdt, "", "note"
	.balign	4
	.4byte	8, 9994f - 9993f, 3
	.asciz	"stapsdt"
9993:	.8byte	9990b, _.stapsdt.base, 0
	.asciz	"tests"
	.asciz	"point"
	.asciz	"8@%rdi 4@1(%rsp) 8@flags_odd+1(%rip)"
9994:	.balign	4
	.popsection
	lea	1(%rdi), %rax
	lea	8(%rsp), %rsp
	ret
	.size	f_point, . - f_point

	.section .stapsdt.base, "aG", "progbits", .stapsdt.base, comdat
	.weak	_.stapsdt.base
	.hidden	_.stapsdt.base
_.stapsdt.base:
	.space	1

	.data
	.balign	16
	.globl	flags_odd
	.type	flags_odd, @object
flags_odd:
	.byte	0xff, 1, 0, 0, 0, 0, 0, 0, 0, 0xff
	.size	flags_odd, . - flags_odd
	.section .note.GNU-stack, "", @progbits
