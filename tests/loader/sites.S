/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of two arguments whose first bytes cover every kind of displaced instruction. Some must be refused, and
 * one checks registers. Each is called with several arguments and gives the same results with and without probes.
 */
	.text
	.macro fn name
	.p2align 4
	.globl \name
	.type \name, @function
\name:
	.endm
	.macro end name
	.size \name, . - \name
	.endm

fn s_rip_load                       /* a load relative to rip */
	mov	constant(%rip), %rax
	add	%rdi, %rax
	ret
end s_rip_load

fn s_rip_cmp                        /* an immediate behind the displacement */
	cmpl	$77, constant(%rip)
	setg	%al
	movzbl	%al, %eax
	lea	(%rax,%rdi,2), %rax
	ret
end s_rip_cmp

fn s_rip_lea
	lea	constant(%rip), %rax
	mov	8(%rax), %rax
	xor	%rsi, %rax
	ret
end s_rip_lea

fn s_sse                            /* relative to rip with a prefix, an escape and a vector register */
	movsd	number(%rip), %xmm0
	addsd	%xmm0, %xmm0
	movq	%xmm0, %rax
	ret
end s_sse

fn s_vex
	vmovsd	number(%rip), %xmm1
	vmovq	%xmm1, %rax
	ret
end s_vex

fn s_jcc_short                      /* flags live across displaced instructions */
	test	%rdi, %rdi
	je	1f
	mov	$5, %eax
	ret
1:	mov	$9, %eax
	ret
end s_jcc_short

fn s_jcc_near
	cmp	%rsi, %rdi
	ja	far_away
	mov	$6, %eax
	ret
end s_jcc_near

fn s_jmp                            /* nothing but a jump: a tail call */
	jmp	far_away
end s_jmp

fn s_jmp_short
	jmp	1f
	nop
	nop
	nop
	nop
1:	lea	3(%rdi), %rax
	ret
end s_jmp_short

fn s_jrcxz
	mov	%rdi, %rcx
	jrcxz	1f
	mov	$1, %eax
	ret
1:	mov	$2, %eax
	ret
end s_jrcxz

fn s_loop
	mov	%edi, %ecx
	loop	1f
	mov	$1, %eax
	ret
1:	mov	$2, %eax
	ret
end s_loop

fn s_call                           /* a call behind pushes */
	push	%rbx
	call	far_away
	lea	7(%rax), %rax
	pop	%rbx
	ret
end s_call

fn s_call_first                     /* a call with nothing before it */
	call	far_away
	inc	%rax
	ret
end s_call_first

fn s_call_sub                       /* the commonest frame */
	sub	$8, %rsp
	call	far_away
	add	$8, %rsp
	add	%rsi, %rax
	ret
end s_call_sub

fn s_endbr
	endbr64
	push	%rdi
	pop	%rax
	ret
end s_endbr

fn s_nops                           /* patchable-function-entry */
	nop
	nop
	nop
	nop
	nop
	mov	%rsi, %rax
	ret
end s_nops

fn s_short                          /* four bytes, and padding behind */
	lea	(%rdi,%rsi), %eax
	ret
end s_short
	.p2align 4, 0xcc

fn s_stack                          /* takes what its caller left on the stack */
	mov	8(%rsp), %rax
	add	16(%rsp), %rax
	ret
end s_stack

	/*
	 * Must be refused. Not called through the table of cases.
	 */
fn r_loop_inside                    /* a jump lands at its second instruction */
	mov	%edi, %eax
1:	dec	%edi
	add	%edi, %eax
	test	%edi, %edi
	jg	1b
	ret
end r_loop_inside

fn r_loop_entry                     /* a jump goes back to its first */
	dec	%edi
	nop
	nop
	nop
	test	%edi, %edi
	jg	r_loop_entry
	ret
end r_loop_entry

fn r_short                          /* shorter than a jump, and another function right behind */
	ret
end r_short
	.globl r_behind
	.type r_behind, @function
r_behind:
	mov	$1, %eax
	ret
end r_behind

fn r_indirect_call
	push	%rbx
	call	*%rax
	pop	%rbx
	ret
end r_indirect_call

fn r_table                          /* a switch whose table leads to its second instruction */
	push	%rbx
1:	mov	%edi, %eax
	and	$1, %eax
	lea	2f(%rip), %rdx
	movslq	(%rdx,%rax,4), %rax
	add	%rdx, %rax
	jmp	*%rax
3:	pop	%rbx
	ret
end r_table
	.section .rodata
	.p2align 2
2:	.long	3b - 2b
	.long	1b - 2b
	.text

fn r_far                            /* its cold part comes back to its second instruction */
	push	%rbx
r_far_again:
	mov	%rdi, %rbx
	test	%rdi, %rdi
	js	r_far_cold
	mov	%rbx, %rax
	pop	%rbx
	ret
end r_far
	.fill	256, 1, 0xcc
fn r_far_cold
	neg	%rdi
	jmp	r_far_again
end r_far_cold

	.p2align 12
	.fill	4093, 1, 0xcc
	.globl r_page
	.type r_page, @function
r_page:                             /* five bytes that lie in two pages */
	mov	%rdi, %rax
	add	%rsi, %rax
	ret
end r_page

fn far_away
	lea	(%rdi,%rdi,8), %rax
	sub	%rsi, %rax
	ret
end far_away

/*
 * uint64_t check_registers(void): call the leaf with a value in every register that a caller could keep alive (as
 * -fipa-ra lets it), the xmm registers among them, and on the stack; which isn't aligned as the ABI wants it. Returns 0
 * if all came back, else what came back different.
 */
fn check_registers
	push	%rbx
	push	%rbp
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	.irp r, rax, rcx, rdx, rbx, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15
	movabs	$0x1111222233334444, %\r
	.endr
	.set	i, 1
	.irp r, rax, rcx, rdx, rbx, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15
	add	$i * 0x1111, %\r
	.set	i, i + 1
	.endr
	.irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	movaps	vectors + 16 * \n(%rip), %xmm\n
	.endr
	push	%rdi
	push	%rsi
	call	leaf
	/* the stack first: it frees registers to compare with */
	pushfq
	push	%rax
	movabs	$0x1111222233334444 + 6 * 0x1111, %rax
	cmp	%rax, 16(%rsp)
	jne	8f
	movabs	$0x1111222233334444 + 7 * 0x1111, %rax
	cmp	%rax, 24(%rsp)
	jne	8f
	testl	$0x400, 8(%rsp)     /* the direction flag */
	jne	8f
	pop	%rax
	lea	24(%rsp), %rsp
	.set	i, 1
	.irp r, rax, rcx, rdx, rbx, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15
	sub	$i * 0x1111, %\r
	.set	i, i + 1
	.endr
	/* now all hold the same value: a difference leaves a bit in rax */
	push	%rcx
	movabs	$0x1111222233334444, %rcx
	xor	%rcx, %rax
	pop	%rcx
	.irp r, rcx, rdx, rbx, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15
	push	%rcx
	movabs	$0x1111222233334444, %rcx
	.ifc \r, rcx
	xor	(%rsp), %rcx
	or	%rcx, %rax
	.else
	xor	%rcx, %\r
	or	%\r, %rax
	.endif
	pop	%rcx
	.endr
	.irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	pcmpeqb	vectors + 16 * \n(%rip), %xmm\n
	pmovmskb %xmm\n, %ecx
	xor	$0xffff, %ecx
	or	%rcx, %rax
	.endr
9:	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbp
	pop	%rbx
	ret
8:	add	$32, %rsp
	mov	$-1, %rax
	jmp	9b
end check_registers

fn leaf
	nopl	0(%rax,%rax)
	ret
end leaf

	.section .rodata
	.p2align 4
vectors:
	.set	i, 1
	.rept	32
	.quad	i * 0x0123456789abcdef
	.set	i, i + 2
	.endr
	.text

/* uint64_t call_with_stack(fn, a, b): fn with two words on the stack. */
fn call_with_stack
	push	%rsi
	push	%rdx
	call	*%rdi
	add	$16, %rsp
	ret
end call_with_stack

	.section .rodata
	.p2align 3
constant:
	.quad	0x123456789abcdef0, 0x0fedcba987654321
number:
	.double	1234.5678

/*
 * Exits that a compiler would rather not write as we want them. returns.c calls those that return.
 */
	.text
fn ret_tail                         /* with no frame: five bytes to spare */
	jmp	ret_plain
end ret_tail

fn ret_tail_if                      /* a condition that leads out */
	test	$1, %dil
	jne	ret_plain
	lea	(%rdi,%rsi), %rax
	ret
end ret_tail_if

fn ret_tail_pointer                 /* the frame is gone, and no table in sight */
	push	%rbx
	mov	%rdx, %rbx
	mov	%rbx, %rax
	pop	%rbx
	jmp	*%rax
end ret_tail_pointer

fn ret_tiny                         /* the whole function is displaced */
	lea	1(%rdi), %rax
	ret
end ret_tiny

fn ret_jumped                       /* a jump leads to its ret: padding is all the room there is */
	xor	%eax, %eax
	test	$1, %dil
	je	1f
	mov	%rdi, %rax
1:	ret
	nop
	nop
	nop
	nop
end ret_jumped

fn ret_self                         /* it begins anew by a jump, which is no exit */
	test	%rdi, %rdi
	je	1f
	dec	%rdi
	jmp	ret_self
1:	mov	%rdi, %rax
	pushfq
	popfq
	ret
end ret_self

fn ret_cold                         /* a part of it stands elsewhere */
	push	%rbx
	test	%rdi, %rdi
	je	ret_cold_part
	pop	%rbx
	xor	%eax, %eax
	ret
end ret_cold
	.fill	16, 1, 0xcc
fn ret_cold_part
	xor	%eax, %eax
	pop	%rbx
	ret
end ret_cold_part

/* its language's routine is named in a form that isn't read, so neither is the table of its handlers */
fn ret_handler_unknown
	.cfi_startproc
	.cfi_personality 0x1c, far_away
	.cfi_lsda 0x1b, ret_handler_table
	xor	%eax, %eax
	nop
	nop
	nop
	ret
	.cfi_endproc
end ret_handler_unknown
ret_handler_table:
	.byte	0xff, 0xff, 0x01, 0x00

	/* Functions with parts elsewhere that the unwind tables describe. */
fn ret_detour                       /* left for one with the frame and without, which comes back */
	.cfi_startproc
	test	%rdi, %rdi
	je	ret_detour_bare
	push	%rbx
	.cfi_def_cfa_offset 16
	test	$1, %dil
	jne	ret_detour_part
ret_detour_again:
	lea	1(%rdi), %rax
	pop	%rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
end ret_detour
	.fill	256, 1, 0xcc
	.cfi_startproc
ret_detour_part:
	add	$2, %rdi
	jmp	ret_detour_again
ret_detour_bare:
	push	%rbx
	jmp	ret_detour_again
	.cfi_endproc

fn ret_part_returns
	push	%rbx
	test	%rdi, %rdi
	je	1f
ret_part_returns_again:
	xor	%eax, %eax
	nop
	pop	%rbx
	ret
end ret_part_returns
	.fill	256, 1, 0xcc
	.cfi_startproc
1:	mov	$1, %eax
	pop	%rbx
	ret
	.cfi_endproc

fn ret_part_flows
	push	%rbx
	test	%rdi, %rdi
	je	1f
ret_part_flows_again:
	xor	%eax, %eax
	nop
	pop	%rbx
	ret
end ret_part_flows
	.fill	256, 1, 0xcc
	.cfi_startproc
1:	mov	$1, %eax
	.cfi_endproc
	pop	%rbx
	ret

fn ret_part_midst
	push	%rbx
	test	%rdi, %rdi
	je	1f
ret_part_midst_again:
	xor	%eax, %eax
	nop
	pop	%rbx
	ret
end ret_part_midst
	.fill	256, 1, 0xcc
	.cfi_startproc
	.byte	0x48, 0xb8 /* movabs of what the next lines are */
1:	mov	$1, %eax
	pop	%rbx
	ret
	nop
	jmp	ret_part_midst_again
	.cfi_endproc

fn ret_part_elsewhere
	push	%rbx
	test	%rdi, %rdi
	je	1f
ret_part_elsewhere_again:
	xor	%eax, %eax
	nop
	pop	%rbx
	ret
end ret_part_elsewhere
	.fill	256, 1, 0xcc
	.cfi_startproc
1:	mov	$1, %eax
	pop	%rbx
	jmp	far_away
	.cfi_endproc

fn ret_part_pointer
	push	%rbx
	test	%rdi, %rdi
	je	1f
ret_part_pointer_again:
	xor	%eax, %eax
	nop
	pop	%rbx
	ret
end ret_part_pointer
	.fill	256, 1, 0xcc
	.cfi_startproc
1:	mov	$1, %eax
	pop	%rbx
	jmp	*%rax
	.cfi_endproc

fn ret_part_address
	push	%rbx
	test	%rdi, %rdi
	je	1f
ret_part_address_again:
	xor	%eax, %eax
	nop
	pop	%rbx
	ret
end ret_part_address
	.fill	256, 1, 0xcc
	.cfi_startproc
1:	lea	ret_part_address_again(%rip), %rax
	jmp	ret_part_address_again
	.cfi_endproc

fn ret_part_calls
	push	%rbx
	test	%rdi, %rdi
	je	1f
ret_part_calls_again:
	xor	%eax, %eax
	nop
	pop	%rbx
	ret
end ret_part_calls
	.fill	256, 1, 0xcc
	.cfi_startproc
1:	call	ret_part_calls_again
	jmp	ret_part_calls_again
	.cfi_endproc

fn ret_split                        /* left by a jump with no frame, for a part that comes back */
	test	%rdi, %rdi
	je	ret_split_part
	lea	1(%rdi), %rax
	nop
ret_split_again:
	add	$2, %rax
	cltq
	ret
end ret_split
	.fill	256, 1, 0xcc
fn ret_split_part
	xor	%eax, %eax
	jmp	ret_split_again
end ret_split_part

fn ret_room                         /* a ret with no room about it */
	test	%rdi, %rdi
	je	1f
	mov	%rdi, %rax
1:	ret
	.globl ret_behind
	.type ret_behind, @function
end ret_room
ret_behind:
	mov	%rdi, %rax
	add	%rsi, %rax
	ret
end ret_behind

fn ret_inside                       /* a computed goto: where it leads nobody knows */
	lea	1f(%rip), %rax
	jmp	*%rax
1:	mov	%rdi, %rax
	xor	%edx, %edx
	ret
end ret_inside

fn ret_odd                          /* a jump in the form of a ret */
	lea	far_away(%rip), %rax
	push	%rax
	ret
end ret_odd

fn ret_flows                        /* it runs on into the next function */
	mov	%rdi, %rax
	add	%rdi, %rax
	test	%rax, %rax
end ret_flows
fn ret_next
	mov	%rdi, %rax
	add	%rsi, %rax
	ret
end ret_next

fn ret_handler                      /* an exit that only an exception leads to */
	mov	%rdi, %rax
	add	%rsi, %rax
	ret
	xor	%eax, %eax
	add	$8, %rsp
	ret
end ret_handler

fn ret_short_table                  /* a switch with a case that isn't in the function */
	cmp	$3, %edi
	ja	3f
	mov	%edi, %eax
	lea	2f(%rip), %rdx
	movslq	(%rdx,%rax,4), %rax
	add	%rdx, %rax
	jmp	*%rax
1:	mov	$5, %eax
	nop
	ret
3:	mov	$6, %eax
	nop
	ret
end ret_short_table
	.section .rodata
	.p2align 2
2:	.long	1b - 2b
	.long	3b - 2b
	.long	far_away - 2b
	.long	1b - 2b
	.text

	/*
	 * Two functions in one another: the second jumps into the first's last instructions, the third into its first.
	 */
fn ret_shared
	mov	%rdi, %rax
	add	%rsi, %rax
	nop
	nop
	xor	%edx, %edx
ret_shared_end:
	cltq
	ret
end ret_shared
fn ret_borrows
	mov	%rsi, %rax
	jmp	ret_shared_end
end ret_borrows
fn r_before
	mov	%rdi, %rax
	test	%rdi, %rdi
	je	r_shared_again
	ret
end r_before
	.globl r_shared
	.type r_shared, @function
r_shared:
	xor	%eax, %eax
r_shared_again:
	mov	%rsi, %rdx
	add	%rdx, %rax
	ret
	.size r_shared, . - r_shared

fn ret_into                         /* a switch with a case between its last instructions */
	cmp	$1, %edi
	ja	3f
	mov	%edi, %eax
	lea	2f(%rip), %rdx
	movslq	(%rdx,%rax,4), %rax
	add	%rdx, %rax
	jmp	*%rax
1:	mov	$5, %eax
	nop
	ret
3:	mov	%edi, %eax
4:	nop
	ret
end ret_into
	.globl ret_after
	.type ret_after, @function
ret_after:
	mov	%rdi, %rax
	add	%rdi, %rax
	ret
end ret_after
	.section .rodata
	.p2align 2
2:	.long	1b - 2b
	.long	4b - 2b
	.text
	.section .note.GNU-stack, "", @progbits
