/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stack of the thread that is in a probe: ward_stack. A part of imports.S.
 *
 * A stub leaves the target's registers at the upper end of the slot's own stack, on which this runs; that is where
 * rsp's lower 16 bits are all set. From there the walk goes from frame to frame, by the rule that rows have for each
 * address (unwind_rows.h), or by frame pointers where they have none. The return addresses are a stack, which is put
 * into a table once. Where it is there is its handle.
 *
 * Memory. The frames of a thread lie between its stack pointer and the end of its stack. The thread lives on that
 * memory, and a program that unmapped it would fail by itself. So it is read as it is: this is the window, r14 to r15.
 * It begins as the page that the stub has just written to. How far a thread's own stack goes on is found once: it ends
 * below the thread's control block, or is the first thread's, and no page up to there is missing. That is asked by a
 * system call that only fails: rt_sigprocmask with a set there and an operation that doesn't exist. It is remembered
 * with the slot, for that thread. A stack pointer elsewhere, as of a fiber, isn't remembered.
 *
 * But a rule may be wrong, and frame pointers may be anything; and another stack than the one that the thread is on is
 * none that is known. What is there at one moment may be unmapped by another thread at the next. So the kernel copies
 * such a page, or says that it can't be read: process_vm_readv(2), as in imports.S. The slot has room for one page.
 *
 * Each frame is above the one before. Only a signal's frame leads elsewhere, as handlers may have a stack of their own.
 * So a walk ends, after WL_STACK_MOST frames at the latest.
 *
 * rbx: where the next address is put. rbp, r12: the frame's rbp and rsp. r13: its address, with bit 63 if that is
 * exact. r9: FACTOR.
 */
#include "loader/symbols/unwind_rows.h"
#include "walk.h"

	.set SYS_RT_SIGPROCMASK, 14
	.set EFAULT_, 14
	.set PAGE, 4096
	.set OWN_STACK_MOST, 1 << 18	/* of a thread's own stack as much is remembered */
	.set FP_MOST, 1 << 20		/* a frame found by its pointer is at most so large */
	.set FACTOR, 0x9e3779b97f4a7c15

	/* locals */
	.set FRAMES, 0			/* a word that says how many and how the stack ends, and their addresses */
	.set LIMIT, 8 * (WL_STACK_MOST + 4)	/* behind them are zeros, up to a multiple of four */
	.set DIRECTORY, LIMIT + 8
	.set HOW, LIMIT + 16
	.set COPIED, LIMIT + 24		/* the page of which there is a copy; 1: none */
	.set LOCALS, LIMIT + 32

	.balign	16
wl_walk_data: /* struct wl_walk */
directory:	.quad	0
cache:		.quad	0
stacks:		.quad	0
stack_top:	.quad	0
cache_mask:	.long	0
bucket_mask:	.long	0
arena:		.quad	0
		.quad	0, 0

/* Is there a page at r10? ZF is set if so. Changes r8. */
is_there:
	push	rax
	push	rcx
	push	rdx
	push	rsi
	push	rdi
	push	r10
	push	r11
	mov	rsi, r10
	mov	edi, -1
	xor	edx, edx
	mov	r10d, 8
	mov	eax, SYS_RT_SIGPROCMASK
	syscall
	xor	r8d, r8d
	cmp	eax, -EFAULT_
	sete	r8b
	pop	r11
	pop	r10
	pop	rdi
	pop	rsi
	pop	rdx
	pop	rcx
	pop	rax
	test	r8d, r8d
	ret

/* The word at r10 isn't in the window: r10 = where a copy of it is. ZF is set if it can be read. Changes r8, r11. */
foreign:
	test	r10b, 7
	jne	1f
	mov	r8, r10
	and	r8, -PAGE
	mov	r11, rsp
	and	r11, -0x10000		/* the lower end of the slot's own stack */
	cmp	r8, [rsp + 8 + COPIED]
	jne	2f
0:	and	r10d, PAGE - 1
	lea	r10, [r11 + r10 + WL_KEEP_PAGE]
	cmp	eax, eax		/* ZF */
1:	ret
2:	mov	[rsp + 8 + COPIED], r8
	push	rax
	push	rcx
	push	rdx
	push	rsi
	push	rdi
	push	r9
	push	r10
	push	r11
	add	r11, WL_KEEP_PAGE
	push	PAGE
	push	r8			/* from */
	push	PAGE
	push	r11			/* to */
	call	read_remote
	add	rsp, 32
	cmp	rax, PAGE
	pop	r11
	pop	r10
	pop	r9
	pop	rdi
	pop	rsi
	pop	rdx
	pop	rcx
	pop	rax
	je	0b
	mov	qword ptr [rsp + 8 + COPIED], 1	/* none; ZF isn't changed */
	ret

/* \to = the word at r10, or a jump to lost. Changes r8, r10, r11. */
	.macro	load to
	cmp	r10, r14
	jb	61f
	lea	r11, [r15 - 8]
	cmp	r10, r11
	jbe	62f
61:	call	foreign
	jne	lost
62:	mov	\to, [r10]
	.endm

/*
 * The window at the beginning: what is remembered of the thread's own stack, made larger if there is need. rcx: the
 * upper end of the slot's own stack, less 1.
 */
find_window:
	mov	r14, [rcx + 1 - WL_WALK_RSP]
	mov	rdi, [rcx + 1 - WL_WALK_OWNER]
	and	r14, -PAGE
	lea	r15, [r14 + PAGE]
	and	rcx, -0x10000
	xor	r11d, r11d
	xor	edx, edx
	cmp	[rcx + WL_KEEP_OWNER], rdi
	jne	1f
	mov	rdx, [rcx + WL_KEEP_FROM]
	mov	r11, [rcx + WL_KEEP_TO]	/* that much is remembered */
	cmp	r14, r11
	jae	1f
	cmp	r14, rdx
	jb	1f
	mov	r15, r11
	ret
1:	mov	rsi, rdi		/* where the stack ends: below the control block, */
	cmp	r14, rsi
	jb	2f
	mov	rsi, [rip + stack_top]	/* or it is the first thread's */
	cmp	r14, rsi
	jae	5f
2:	mov	rax, rsi
	sub	rax, r14
	cmp	rax, OWN_STACK_MOST
	ja	5f
	mov	r10, r15
3:	cmp	r10, rdx
	cmove	r10, r11		/* from there on it is known */
	cmp	r10, rsi
	jae	4f
	call	is_there
	jne	5f			/* there is a gap: then it isn't the thread's own */
	add	r10, PAGE
	jmp	3b
4:	mov	r15, r10
	mov	[rcx + WL_KEEP_OWNER], rdi
	mov	[rcx + WL_KEEP_FROM], r14
	mov	[rcx + WL_KEEP_TO], r15
5:	ret

/* edi: the most frames. 74,590 instructions in the worst case that tests/loader/test_walk.c makes; 1,240 bytes. */
	.balign	16
wl_import_stack:
	endbr64
	push	rbx
	push	rbp
	push	r12
	push	r13
	push	r14
	push	r15
	sub	rsp, LOCALS
	mov	eax, WL_STACK_MOST
	cmp	rdi, rax
	cmova	rdi, rax
	test	rdi, rdi
	cmove	rdi, rax
	lea	rbx, [rsp + FRAMES + 8]
	lea	rax, [rbx + rdi * 8]
	mov	[rsp + LIMIT], rax
	mov	rcx, rsp
	or	rcx, 0xffff
	mov	r13, [rcx + 1 - WL_WALK_IP]
	mov	r12, [rcx + 1 - WL_WALK_AT]
	mov	rbp, [rcx + 1 - WL_WALK_RBP]
	mov	dword ptr [rsp + HOW], WL_STACK_WHOLE
	mov	qword ptr [rsp + COPIED], 1
	mov	rax, [rip + directory]
	mov	rax, [rax]
	mov	[rsp + DIRECTORY], rax
	movabs	r9, FACTOR
	test	r12, r12
	je	nothing
	call	find_window
	bts	r13, WL_STACK_EXACT_BIT
	mov	[rbx], r13
	lea	rbx, [rbx + 8]
	mov	rdi, r13
	btr	rdi, WL_STACK_EXACT_BIT
	mov	rcx, rsp
	or	rcx, 0xffff
	bt	qword ptr [rcx + 1 - WL_WALK_IP], WL_STACK_EXACT_BIT
	jc	find			/* a tracepoint */
	lea	rdx, [r12 + 8]		/* a function's entry or return: nothing is on its stack */
	xor	eax, eax
	jmp	cfa

	.balign	16
next:
	mov	[rbx], r13
	lea	rbx, [rbx + 8]
	mov	rdi, r13
	btr	rdi, WL_STACK_EXACT_BIT
	jc	find
	dec	rdi			/* a return address may be another function's beginning */
/* eax = the rule of the code at rdi: of the cache, if that has it */
find:
	mov	rsi, [rsp + DIRECTORY]
	test	rsi, rsi
	je	undescribed
	mov	rcx, r13		/* this is what each frame waits for, so no multiplication */
	mov	rdx, r13
	shr	rcx, 10
	shl	rdx, 4
	xor	ecx, edx
	and	ecx, [rip + cache_mask]
	add	rcx, [rip + cache]
	mov	rax, [rcx + 8]
	mov	rdx, [rcx]
	mov	r8, rax
	imul	r8, r9
	xor	rdx, r8
	cmp	rdx, rdi
	jne	search
	mov	r8, rax
	shr	r8, 32
	cmp	r8d, [rsi + WL_DIR_GENERATION]
	jne	search
rule:
	mov	ecx, eax
	and	ecx, WL_UNWIND_KIND_MASK
	movsxd	rdx, eax
	sar	rdx, WL_UNWIND_WORDS_SHIFT
	cmp	ecx, WL_UNWIND_RSP
	jne	other
	lea	rdx, [r12 + rdx * 8]
/* rdx: the CFA */
cfa:
	test	dl, 7
	jne	lost
	lea	r10, [rdx - 8]
	cmp	r10, r12
	jb	lost
	load	r13
	shr	eax, WL_UNWIND_RBP_SHIFT
	and	eax, WL_UNWIND_RBP_MASK
	je	2f
	cmp	eax, WL_UNWIND_RBP_AT_RBP
	je	at_rbp
	shl	eax, 3
	mov	r10, rdx
	sub	r10, rax
1:	cmp	r10, r12
	jb	2f			/* it has been popped already, which compilers don't mention */
	load	rbp
2:	mov	r12, rdx
came:	/* to the caller: r13 is the address there */
	test	r13, r13
	je	whole
came_further:
	mov	rax, r13
	shr	rax, 47
	jne	lost
go_on:
	cmp	rbx, [rsp + LIMIT]
	jb	next
	or	dword ptr [rsp + HOW], WL_STACK_CUT
	jmp	whole
at_rbp:
	mov	r10, rbp
	jmp	1b

other:
	cmp	ecx, WL_UNWIND_RBP
	je	by_rbp
	cmp	ecx, WL_UNWIND_END
	je	whole
	cmp	ecx, WL_UNWIND_RBP_DEREF
	je	by_word_at_rbp
	cmp	ecx, WL_UNWIND_SIGNAL
	je	signal
	cmp	ecx, WL_UNWIND_PLT
	je	plt
	cmp	ecx, WL_UNWIND_RSP_DEREF
	je	by_word_at_rsp
undescribed:
	or	dword ptr [rsp + HOW], WL_STACK_BY_RBP
	mov	r10, rbp
	sub	r10, r12
	cmp	r10, FP_MOST
	ja	lost
	lea	r10, [rbp + 8]
	load	r13
	lea	r12, [rbp + 16]
	mov	r10, rbp
	load	rbp
	test	r13, r13		/* the end, or rbp wasn't a frame's: nobody knows */
	je	lost
	jmp	came_further
by_rbp:
	lea	rdx, [rbp + rdx * 8]
	jmp	cfa
by_word_at_rbp:
	lea	r10, [rbp + rdx * 8]
	load	rdx
	jmp	cfa
by_word_at_rsp:
	lea	r10, [r12 + rdx * 8]
	load	rdx
	add	rdx, 8
	jmp	cfa
plt:
	mov	ecx, edi
	and	ecx, 15
	cmp	ecx, edx
	mov	edx, 8
	mov	ecx, 16
	cmovge	edx, ecx
	add	rdx, r12
	jmp	cfa
signal:
	lea	r10, [r12 + WL_SIGNAL_RIP]
	load	r13
	lea	r10, [r12 + WL_SIGNAL_RBP]
	load	rbp
	lea	r10, [r12 + WL_SIGNAL_RSP]
	load	r12
	mov	rax, r13
	shr	rax, 47
	jne	lost
	test	r13, r13
	je	whole
	bts	r13, WL_STACK_EXACT_BIT
	jmp	go_on

/* The rule of the code at rdi by the directory at rsi, into the cache at rcx. Changes rdx, r8, r10, r11. */
search:
	mov	r8d, [rsi + WL_DIR_N]
	xor	eax, eax
1:	cmp	eax, r8d
	jae	2f
	lea	edx, [rax + r8]
	shr	edx, 1
	mov	r10, rdx
	shl	r10, WL_DIR_SHIFT
	cmp	[rsi + r10 + WL_DIR_ENTRIES + WL_DIR_START], rdi
	cmova	r8d, edx
	ja	1b
	lea	eax, [rdx + 1]
	jmp	1b
2:	test	eax, eax
	je	none
	dec	eax
	shl	rax, WL_DIR_SHIFT
	lea	r10, [rsi + rax + WL_DIR_ENTRIES]
	cmp	rdi, [r10 + WL_DIR_END]
	jae	none
	mov	r11d, [r10 + WL_DIR_SKEW]
	add	r11, rdi
	sub	r11, [r10 + WL_DIR_START]
	mov	r8d, [r10 + WL_DIR_N_ROWS]
	mov	r10, [r10 + WL_DIR_ROWS]
	xor	eax, eax
3:	cmp	eax, r8d
	jae	4f
	lea	edx, [rax + r8]
	shr	edx, 1
	cmp	[r10 + rdx * 8], r11d
	cmova	r8d, edx
	ja	3b
	lea	eax, [rdx + 1]
	jmp	3b
4:	test	eax, eax
	je	none
	mov	eax, [r10 + rax * 8 - 4]
	jmp	5f
none:
	xor	eax, eax
5:	mov	edx, [rsi + WL_DIR_GENERATION]
	shl	rdx, 32
	or	rdx, rax
	mov	[rcx + 8], rdx
	imul	rdx, r9
	xor	rdx, rdi
	mov	[rcx], rdx
	jmp	rule

lost:
	or	dword ptr [rsp + HOW], WL_STACK_LOST
/* Put the stack into the table, once. */
whole:
	mov	ecx, [rsp + HOW]
	shl	rcx, 32
	mov	rsi, rbx
	sub	rsi, rsp
	shr	rsi, 3			/* words */
	lea	rax, [rsi - 1]
	or	rcx, rax
	mov	[rsp + FRAMES], rcx
	xor	eax, eax		/* the hash: four at once, as each multiplication waits for the one before */
	mov	[rbx], rax
	mov	[rbx + 8], rax
	mov	[rbx + 16], rax
	mov	ecx, 1
	mov	edi, 2
	mov	ebp, 3
	xor	edx, edx
1:	xor	rax, [rsp + rdx * 8]
	xor	rcx, [rsp + rdx * 8 + 8]
	xor	rdi, [rsp + rdx * 8 + 16]
	xor	rbp, [rsp + rdx * 8 + 24]
	.irp	lane, rax, rcx, rdi, rbp
	imul	\lane, r9
	ror	\lane, 29
	.endr
	add	edx, 4
	cmp	edx, esi
	jb	1b
	.irp	lane, rcx, rdi, rbp
	xor	rax, \lane
	imul	rax, r9
	ror	rax, 29
	.endr
	imul	rax, r9
	mov	rdx, rax
	shr	rdx, 32			/* the tag */
	mov	r10d, eax		/* the bucket */
	mov	r8, [rip + stacks]
	xor	r11d, r11d		/* what has been reserved */
	mov	r12d, WL_STACKS_TRIES
	mov	r13d, [rip + bucket_mask]
	lea	r14, [r8 + r13 * 8 + WL_STACKS_BUCKETS + 8]	/* the arena */
	mov	r15, [rip + arena]
bucket:
	and	r10d, r13d
	lea	rbx, [r8 + r10 * 8 + WL_STACKS_BUCKETS]
	mov	rax, [rbx]
	test	rax, rax
	je	empty
taken:	/* by rax: is it this one? */
	mov	rcx, rax
	shr	rcx, 32
	cmp	ecx, edx
	jne	another
	mov	eax, eax
	lea	rcx, [rax + rsi]
	cmp	rcx, r15
	ja	another
	lea	rdi, [r14 + rax * 8]
	xor	ecx, ecx
1:	mov	rbp, [rdi + rcx * 8]
	cmp	rbp, [rsp + rcx * 8]
	jne	another
	inc	ecx
	cmp	ecx, esi
	jb	1b
	jmp	have
another:
	inc	r10d
	dec	r12d
	jne	bucket
full:
	lock inc qword ptr [r8 + WL_STACKS_LOST]
nothing:
	xor	eax, eax
end:
	add	rsp, LOCALS
	pop	r15
	pop	r14
	pop	r13
	pop	r12
	pop	rbp
	pop	rbx
	ret
empty:
	test	r11, r11
	jne	2f
	lea	rax, [rsi + 1]
	add	rax, [r8 + WL_STACKS_USED]
	cmp	rax, r15
	ja	full
	mov	r11, rsi
	lock xadd [r8 + WL_STACKS_USED], r11
	cmp	r11, r15
	ja	full
	inc	r11			/* the first word stays unused: 0 is no handle */
	lea	rax, [r11 + rsi]
	cmp	rax, r15
	ja	full
	lea	rdi, [r14 + r11 * 8]
	xor	ecx, ecx
1:	mov	rbp, [rsp + rcx * 8]
	mov	[rdi + rcx * 8], rbp
	inc	ecx
	cmp	ecx, esi
	jb	1b
2:	mov	rcx, rdx
	shl	rcx, 32
	or	rcx, r11
	xor	eax, eax
	lock cmpxchg [rbx], rcx
	jne	taken			/* another thread was quicker, perhaps with the same */
	mov	rax, r11
have:
	or	rax, [r8 + WL_STACKS_MARK]
	jmp	end
