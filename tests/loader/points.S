/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Static tracepoints written by hand, with operands of every form and in all kinds of code, as functions whose
 * results show whether anything but the nop was changed. test_points.c says what each probe must see.
 */
	.macro	NOTE provider, name, args, semaphore=0
	.pushsection .note.stapsdt, "", "note"
	.balign	4
	.4byte	8, 9994f - 9993f, 3
	.asciz	"stapsdt"
9993:	.8byte	9990b, _.stapsdt.base, \semaphore
	.asciz	"\provider"
	.asciz	"\name"
	.asciz	"\args"
9994:	.balign	4
	.popsection
	.endm

	.macro	POINT name, args, more=""
9990:	nop
	NOTE	tests, \name, "\args\more"
	.endm

	.section .stapsdt.base, "aG", "progbits", .stapsdt.base, comdat
	.weak	_.stapsdt.base
	.hidden	_.stapsdt.base
_.stapsdt.base:
	.space	1

	.macro	FUNCTION name
	.text
	.balign	16
	.globl	\name
	.type	\name, @function
\name:
	.cfi_startproc
	endbr64
	.endm

	.macro	END name
	.cfi_endproc
	.size	\name, . - \name
	.endm

/* Registers of every width. Returns a sum over them, so that they must be as before. */
FUNCTION point_registers
	push	%rbx
	movabs	$0xfedcba9887e5c3f1, %rax
	mov	%rax, %rbx
	lea	1(%rax), %rcx
	lea	2(%rax), %rdx
	lea	3(%rax), %rsi
	lea	4(%rax), %rdi
	lea	5(%rax), %r8
	lea	6(%rax), %r9
	lea	7(%rax), %r10
	lea	8(%rax), %r11
	POINT	registers, "8@%rax 4@%eax -4@%eax 2@%ax -2@%ax 1@%al"
	mov	%rax, %rax
	mov	%rcx, %rcx
	POINT	bytes, "-1@%al 1@%ah -1@%bh -1@%r10b 8@%r11 -4@%r10d"
	mov	%rax, %rax
	mov	%rcx, %rcx
	POINT	others, "8@%rcx -2@%dx 4@%esi -1@%dil -8@%r8 4@%r9d"
	add	%rbx, %rax
	add	%rcx, %rax
	add	%rdx, %rax
	add	%rsi, %rax
	add	%rdi, %rax
	add	%r8, %rax
	add	%r9, %rax
	add	%r10, %rax
	add	%r11, %rax
	pop	%rbx
	ret
END point_registers

FUNCTION point_constants
	mov	$7, %eax
	POINT	constants, "8@$-5 4@$-5 -4@$-5 1@$300 -2@$0x8000 8@$0x7fffffffffffffff"
	add	$1, %eax
	add	$1, %eax
	ret
END point_constants

/*
 * Memory: the red zone, the frame, a table by base, index and scale; what isn't there is 0, and so is what crosses into
 * nowhere. rdi: a page behind which there is none.
 */
FUNCTION point_memory
	push	%rbx
	lea	point_table(%rip), %rbx
	mov	$3, %ecx
	movq	$0x1234567, -8(%rsp)
	movq	$-2, -128(%rsp)
	mov	$0x55, %eax
	POINT	stack, "8@-8(%rsp) -4@-128(%rsp) 2@-8(%rsp) 8@(%rsp) -1@-128(%rsp) 8@0x8(%rsp)"
	mov	%rbx, %rax
	mov	$2, %r10d
	mov	%rbx, %r11
	POINT	table, "8@8(%rbx) 4@(%rax,%rcx,4) -4@-8(%r11,%r10,8) -2@6(%rbx,%rcx) 1@(%rbx,%rcx,2) 8@-16(%rbx,%r10,8)"
	lea	4092(%rdi), %rdx
	mov	$1, %eax
	POINT	nowhere, "8@(%rax) 4@(%rdx) 8@(%rdx) 8@4(%rdx) -8@(%rax,%rax,8) 8@(%rbx)"
	mov	-8(%rsp), %rax
	add	-128(%rsp), %rax
	pop	%rbx
	ret
END point_memory

FUNCTION point_variables
	xor	%eax, %eax
	POINT	variables, "8@point_table(%rip) 4@4+point_table(%rip) -4@point_table+8(%rip)", \
		" -2@16+point_table-6(%rip) 1@point_table+0x10(%rip) 4@$3"
	sub	$-3, %eax
	ret
END point_variables

FUNCTION point_unknown
	xor	%eax, %eax
	POINT	unknown, "4@$8 8f@%xmm0 8@%fs:16 3@%eax 8@nobody(%rip) 4@(%eax)"
	sub	$-3, %eax
	ret
END point_unknown

FUNCTION point_none
	xor	%eax, %eax
	POINT	none, ""
	sub	$-4, %eax
	ret
END point_none

FUNCTION point_many
	xor	%eax, %eax
	POINT	many, "1@$1 1@$2 1@$3 1@$4 1@$5 1@$6 1@$7 1@$8"
	sub	$-4, %eax
	ret
END point_many

/* rdi: flags. Returns what they are behind the nop. */
FUNCTION point_flags
	push	%rdi
	popfq
	POINT	flags, "8@%rdi"
	pushfq
	pop	%rax
	mov	%rax, %rdx
	ret
END point_flags

/* A call stands right behind: it is led through the stub. rsp is the nop's, in what is seen. */
FUNCTION point_before_call
	push	%rbp
	mov	%rdi, %rbp
	push	$77
	jmp	1f
1:
	POINT	before_call, "8@(%rsp) 8@%rdi 8@8(%rsp)"
	call	point_callee
	pop	%rcx
	add	%rbp, %rax
	pop	%rbp
	ret
END point_before_call

FUNCTION point_callee
	lea	5(%rdi), %rax
	ret
END point_callee

/*
 * There is no room behind the nop, as the next instruction is jumped to: the bytes before it are taken. rdi: how often.
 */
FUNCTION point_behind
	xor	%eax, %eax
	movl	$0, -4(%rsp)
	addl	$2, -4(%rsp)
	POINT	behind, "4@-4(%rsp)"
1:	inc	%eax
	dec	%rdi
	jne	1b
	add	-4(%rsp), %eax
	ret
END point_behind

/* The nop itself is jumped to. */
FUNCTION point_target
	xor	%eax, %eax
1:
	POINT	target, "4@%eax"
	add	$1, %eax
	dec	%rdi
	jne	1b
	ret
END point_target

/* Neither before nor behind there is room but for a short jump, to the padding behind the function. */
FUNCTION point_cave
	xor	%eax, %eax
	jmp	2f
1:	inc	%rax
2:
	POINT	cave, "4@%eax"
	nop
3:	dec	%rdi
	js	4f
	cmp	$2, %rax
	je	3b
	jmp	1b
4:	ret
END point_cave
	.balign	16, 0x90
	.nops	16

/* Not even that. */
FUNCTION point_room
	xor	%eax, %eax
	jmp	2f
1:	inc	%rax
2:
	POINT	room, "4@%eax"
3:	dec	%rdi
	js	4f
	cmp	$2, %rax
	je	3b
	jmp	1b
4:	ret
	.balign	16, 0x90
END point_room

/* A table leads to the instruction behind the nop. */
FUNCTION point_switch
	and	$1, %edi
	lea	1f(%rip), %rdx
	movslq	(%rdx,%rdi,4), %rax
	add	%rdx, %rax
	jmp	*%rax
	.section .rodata
	.balign	4
1:	.long	2f - 1b, 3f - 1b
	.text
2:
	POINT	switch, "4@%edi"
3:	add	$3, %edi
	mov	%edi, %eax
	ret
END point_switch

/* The same, of the other piece of a function that the compiler has split. */
FUNCTION point_split
	and	$1, %edi
	lea	1f(%rip), %rdx
	movslq	(%rdx,%rdi,4), %rax
	add	%rdx, %rax
	test	%edi, %edi
	.byte	0x0f, 0x84	/* je, in the long form */
	.long	point_split_part - . - 4
	jmp	*%rax
	.section .rodata
	.balign	4
1:	.long	2f - 1b, 3f - 1b
	.text
END point_split
	.nops	32
	.balign	16
	.cfi_startproc
	.byte	0x90, 0x90
point_split_part:
	nop
2:
	POINT	split, "4@%edi"
3:	add	$3, %edi
	mov	%edi, %eax
	ret
	.cfi_endproc

/* A long nop, and one with a prefix. */
FUNCTION point_long
	xor	%eax, %eax
9990:	nopl	0(%rax, %rax, 1)
	NOTE	tests, long, "8@%rdi"
1:	inc	%eax
	dec	%rdi
	jne	1b
	ret
END point_long

/*
 * The two nops of libbpf's usdt.h, a short one for breakpoints and a long one for the kernel's own jump, in a leaf
 * function that has put something into all of the red zone, and whose flags live. rdi: flags. Returns them, and above
 * them the sum over the red zone.
 */
	.macro	RED name, long:vararg
FUNCTION point_\name
	push	%rdi
	popfq
	.set	word, 0
	.rept	16
	.set	word, word + 1
	movq	$0x1111 * word, -8 * word(%rsp)
	.endr
9990:	nop
	.byte	\long
	NOTE	tests, \name, "8@%rdi 8@-8(%rsp) 8@-128(%rsp)"
	mov	-8(%rsp), %rdx
	pushfq
	pop	%rax
	.set	word, 1
	.rept	15
	.set	word, word + 1
	add	-8 * word(%rsp), %rdx
	.endr
	and	$0xfff, %eax
	shl	$12, %rdx
	or	%rdx, %rax
	ret
END point_\name
	.endm

RED nop10, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0
RED nop5, 0x0f, 0x1f, 0x44, 0, 0

/* The same with a jump to the long one: whoever jumps there doesn't come by the tracepoint. rdi: how often. */
FUNCTION point_nop_apart
	xor	%eax, %eax
	jmp	1f
9990:	nop
1:	.byte	0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0
	NOTE	tests, nop_apart, "8@%rdi"
	inc	%eax
	dec	%rdi
	jne	9990b
	ret
END point_nop_apart

FUNCTION point_no_nop
9990:	xor	%eax, %eax
	NOTE	tests, no_nop, ""
	sub	$-5, %eax
	ret
END point_no_nop

FUNCTION point_midst
	xor	%eax, %eax
	.byte	0x83
9990:	.byte	0xe8, 0xfb	/* of sub $-5, %eax */
	NOTE	tests, midst, ""
	ret
END point_midst

/* One that is only asked for if its semaphore says so. Returns what that counts. */
FUNCTION point_semaphore
	movzwl	tests_semaphore(%rip), %eax
	test	%eax, %eax
	je	1f
9990:	nop
	NOTE	tests, semaphore, "-4@%eax", tests_semaphore
	mov	%eax, %eax
	nopw	(%rax)
1:	ret
END point_semaphore

/* Two in the bytes of one jump. */
FUNCTION point_twins
	xor	%eax, %eax
	POINT	twin_one, "1@$1"
	POINT	twin_two, "1@$2"
	sub	$-6, %eax
	ret
END point_twins

/*
 * No tracepoint, but a function of libc's kind: another one jumps behind its first instruction, and a third one runs on
 * through the padding into it.
 */
	.text
	.balign	64
	.globl	shares, flows, shared
	.type	shares, @function
	.type	flows, @function
	.type	shared, @function
shares:
	.cfi_startproc
	lea	1(%rdi), %rax
	jmp	1f
	.cfi_endproc
	.size	shares, . - shares
	.balign	16
flows:
	.cfi_startproc
	inc	%rsi
	.cfi_endproc
	.size	flows, . - flows
	nop
	.byte	0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0
	nop
shared:
	.cfi_startproc
	mov	%rdi, %rax
1:	cmp	%rdi, %rsi
	adc	%rsi, %rax
	ret
	.cfi_endproc
	.size	shared, . - shared

	.data
	.balign	16
	.globl	point_table
	.type	point_table, @object
point_table:
	.quad	0x0807060504030201, 0xf0e0d0c0b0a09080, 0x1122334455667788
	.size	point_table, 24

	.section .probes, "aw"
	.balign	2
	.globl	tests_semaphore
tests_semaphore:
	.2byte	0
	.size	tests_semaphore, 2

	.section .note.GNU-stack, "", @progbits
