/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Both ends of a call: code that the stubs of an area share. A stub at a function's entry calls `enter`, one at an
 * exit calls `leave`. call_frames.c copies this code into targets.
 *
 * A call is identified by S, the address of its return address, because the stack pointer is the same at both ends.
 * What is kept of a call is in a cell. A hash of S finds the cell among all cells of the process, not of the thread,
 * because threads aren't stacks: a fiber that begins a call on one thread may end it on another, and one thread
 * changes between stacks.
 *
 * A return is matched with an entry only if that is certain. It is the entry's other end if
 *
 * 1. a call is open at S, of this function, with the return address of this return; and
 * 2. no other call can be open at S: each entry checks what is open at its S, on whichever thread that call began.
 *
 * Otherwise the return is dropped and counted. Then the call began before the probe was attached, its entry was
 * dropped (then `missed` closed what was open at S), or there was no room.
 *
 * Two calls at one S. An entry may find a call still open at S. Either a jump or an exception has left that call, or
 * its fiber was abandoned, or it is suspended with its stack copied away, as greenlets do, and will return. Then both
 * calls are kept, each in a cell of its own with the flag SHARED. The registers that the ABI preserves (rbx, rbp, r12
 * to r15) say which call returns. If both calls have the same registers, that can't be decided. Then one cell counts
 * all such calls, with the flag UNKNOWN, and none of them is reported.
 *
 * A call that a jump or an exception has left is over, and doesn't make others ambiguous. longjmp and the C++ runtime
 * are patched to detect this. A call is LEFT if its S is between where longjmp was called and where it leads, or
 * above the place where an exception was raised that hasn't been caught yet. The next entry at that S replaces it.
 * Where stacks are copied this is only a guess. So such an entry is GUESSED: its registers must be the same at the
 * return. Two events show that stacks are copied: a call returns although a later one began at its S, or a jump leads
 * inward, to where the thread was deeper. Then `copies` is set for good, and guesses are no longer used. One case
 * isn't detected: a call that began before the probe was attached, in a copied stack.
 *
 * A signal handler that leaves a stub by a jump finds the row busy. So `jumped` marks the calls that it leaves only
 * by flags of open cells. The row's own mark remains. An entry below that mark is dropped, but the return isn't if
 * its stub has pushed less, and so is at the mark. Therefore each dropped event, for whatever reason, closes what is
 * open at its S.
 *
 * An exception leaves exactly the calls between where it was raised and its handler, on one stack. The handler calls
 * __cxa_begin_catch in its own frame. Then `caught` finds these calls, innermost first. If an entry replaces such a
 * call before that, the call is dropped and counted. So is each call for which it is uncertain whether it was left.
 *
 * Cells. An unused cell has zero in sp and owner, and a thread claims it by writing both at once. A signal handler may
 * leave this code, too, so S is written when the rest of the cell is right. The owner is that thread's slot. Then only
 * the owner changes the cell, without a lock, since the slot is busy meanwhile. There is one exception: a stub at S may
 * close a cell of S, or take it from its owner, by changing both words at once. Then the owner isn't there, because a
 * fiber has moved, or the stack belongs to another thread now. An owner lists the cells that it claims. When the list
 * is full, it frees the oldest cell that is closed. So a few threads can't use up all cells, and a thread has at most
 * WL_LISTED calls open. The cells of 512 bytes of stack share a page. Those of 128 bytes share a group, in which S is
 * searched. A new thread that takes over a slot takes over its cells.
 *
 * The target can overwrite everything here, like all of its memory. That harms only the target.
 *
 * Except for the time, `open` is written last, so a handler that jumps out of this code leaves a closed cell. `open`
 * is CLOSED only if no other call may be open at S. Otherwise it is LOOK, and the next entry searches for them.
 */
#include "call_frames.h"
#include "dispatch.h"

	.intel_syntax noprefix

	.set LIST_MASK, WL_LISTED - 1
	.set LIST_TRIES, 16
	.set CELLS_OF_512, 0x1f0 /* what chooses among a page's cells: frames are multiples of 16 bytes apart */
	.set NEAR, 0xffff
	.set CLAIMED, 1 /* for sp: no stack pointer */
	.set ODD, 0x5bd1e995 /* no difference of two registers that programs have often */
	.set JMP_BUF_SP, 0x30 /* glibc's and musl's */
	.set POINTER_GUARD, 0x30
	.set ROTATED, 17

	.section .rodata.ward_calls, "a"
	.irp	name, code, enter, leave, over, missed, raised, caught, jumps, jumped, ends, end
	.globl	wl_calls_\name
	.hidden	wl_calls_\name
	.endr
	.balign	16
wl_calls_code: /* struct wl_calls, filled in in the copy */
table:		.quad	0
tallies:	.quad	0
cells:		.quad	0
factor:		.quad	0
pages:		.long	0
wants:		.long	0
stacks:		.quad	0
stacks_size:	.quad	0
		.quad	0

/* rcx = the cell at which the search for address \sp begins. Changes rax. */
	.macro	home sp
	mov	rcx, \sp
	shr	rcx, 9
	imul	rcx, [rip + factor]
	shr	rcx, 28
	and	ecx, [rip + pages]
	mov	rax, \sp
	and	eax, CELLS_OF_512
	lea	rcx, [rcx + rax * 8]
	add	rcx, [rip + cells]
	.endm

/* rdx = the row */
	.macro	row
	mov	rdx, [rip + table]
	add	rdx, r10
	.endm

/*
 * \to = a hash of the registers that a function preserves; \by is scratch. Registers that differ anywhere give
 * another hash.
 */
	.macro	fingerprint to, by
	imul	\to, rbx, ODD
	imul	\by, r13, ODD
	add	\to, rbp
	add	\by, r14
	imul	\to, \to, ODD
	imul	\by, \by, ODD
	add	\to, r12
	add	\by, r15
	ror	\by, 31
	add	\to, \by
	.endm

/* rax = the time stamp counter */
	.macro	time
	rdtsc
	shl	rdx, 32
	or	rax, rdx
	.endm

	.macro	drop
	mov	rax, [rip + tallies]
	inc	qword ptr [rax + r10 + WL_TALLY_DROPPED]
	.endm

/* Calls on the target's stack leave no address of Ward's code there. */
	.macro	wipe
	mov	qword ptr [rsp - 8], 0
	.endm

	.macro	save
	push	rax
	push	rcx
	push	rdx
	.endm

	.macro	restore
	pop	rdx
	pop	rcx
	pop	rax
	.endm

	.macro	save_more
	push	rbx
	push	rbp
	push	rsi
	push	rdi
	push	r8
	push	r9
	push	r12
	push	r13
	push	r14
	.endm

	.macro	restore_more
	pop	r14
	pop	r13
	pop	r12
	pop	r9
	pop	r8
	pop	rdi
	pop	rsi
	pop	rbp
	pop	rbx
	.endm

/* Replace (rax, rdx) in the cell by (rbx, rcx); ZF is clear if the cell had other contents. */
	.macro	exchange cell
	lock cmpxchg16b [\cell]
	.endm

/* Free the cell, which has (rax, rdx), unless another owner has it already. Changes rax, rbx, rcx, rdx. */
	.macro	free cell
	xor	ebx, ebx
	xor	ecx, ecx
	exchange \cell
	.endm

/* Fill in the event's words that are wanted, from the cell at rcx. rdx is the row; changes rax, rdx and r11. */
	.macro	tell
	mov	eax, [rip + wants]
	test	al, WL_WANTS_TWO
	je	51f
	mov	r11, [rcx + WL_CALL_ARG]
	mov	[rdx + WL_ROW_EVENT], r11
	mov	r11, [rcx + WL_CALL_ARG + 8]
	mov	[rdx + WL_ROW_EVENT + 8], r11
51:	test	al, WL_WANTS_FOUR
	je	52f
	.irp	at, 16, 24, 32, 40
	mov	r11, [rcx + WL_CALL_ARG + \at]
	mov	[rdx + WL_ROW_EVENT + \at], r11
	.endr
52:	test	al, WL_WANTS_TIME
	je	53f
	mov	r11, rdx
	time
	sub	rax, [rcx + WL_CALL_TIME]
	mov	[r11 + WL_ROW_EVENT + 8 * WL_EVENT_ELAPSED], rax
53:
	.endm

	.balign	16
wl_calls_enter:
	save
	home	r11
	row
	cmp	[rcx + WL_CALL_SP], r11
	jne	seek
	mov	rax, [rdx + WL_ROW_KEEP]
	cmp	[rcx + WL_CALL_OWNER], rax
	jne	seek
	cmp	qword ptr [rcx + WL_CALL_OPEN], WL_CALL_CLOSED
	jne	seek
	mov	eax, [rdx + WL_ROW_EVENT + 8 * WL_EVENT_SITE]
keep:	/* in rcx; rax: the site and flags */
	mov	[rcx + WL_CALL_SITE], rax
	fingerprint rax, r11
	mov	[rcx + WL_CALL_REGS], rax
	mov	eax, [rip + wants]
	test	al, WL_WANTS_TWO
	je	1f
	mov	[rcx + WL_CALL_ARG], rdi
	mov	[rcx + WL_CALL_ARG + 8], rsi
1:	test	al, WL_WANTS_FOUR
	je	2f
	mov	r11, [rsp]
	mov	[rcx + WL_CALL_ARG + 16], r11
	mov	r11, [rsp + 8]
	mov	[rcx + WL_CALL_ARG + 24], r11
	mov	[rcx + WL_CALL_ARG + 32], r8
	mov	[rcx + WL_CALL_ARG + 40], r9
2:	test	al, WL_WANTS_THROWN
	je	3f
	mov	r11, [rdx + WL_ROW_THROWN]
	mov	[rcx + WL_CALL_THROWN], r11
	mov	r11, [rcx + WL_CALL_SP]
	mov	r11, [r11]
	mov	[rcx + WL_CALL_CALLER], r11
3:	mov	r11, [rcx + WL_CALL_SP]
	mov	r11, [r11]
	mov	[rcx + WL_CALL_OPEN], r11
	test	al, WL_WANTS_TIME
	je	not_kept
	time
	mov	[rcx + WL_CALL_TIME], rax
not_kept:
	restore
	ret
seek:
	call	seek_cell
	wipe
	test	rcx, rcx
	je	not_kept
	jmp	keep

	.balign	16
wl_calls_leave:
	save
	home	r11
	row
	cmp	[rcx + WL_CALL_SP], r11
	jne	find
	mov	rax, [rdx + WL_ROW_KEEP]
	cmp	[rcx + WL_CALL_OWNER], rax
	jne	find
	mov	rax, [r11]
	cmp	[rcx + WL_CALL_OPEN], rax
	jne	find
	mov	eax, [rdx + WL_ROW_EVENT + 8 * WL_EVENT_SITE]
	cmp	[rcx + WL_CALL_SITE], rax
	jne	find
	tell
	mov	qword ptr [rcx + WL_CALL_OPEN], WL_CALL_CLOSED
found:
	cmp	r10, r10	/* ZF */
	restore
	ret
find:
	call	find_call
	wipe
	test	rcx, rcx
	je	unpaired
	tell
	mov	qword ptr [rcx + WL_CALL_OPEN], WL_CALL_LOOK
	jmp	found
unpaired:
	drop
none:
	or	eax, 1		/* not ZF */
	restore
	ret

wl_calls_over:
	save
	home	r11
	row
	call	find_call
	wipe
	test	rcx, rcx
	je	none
	xor	eax, eax
	cmp	dword ptr [rcx + WL_CALL_FLAGS], 0
	setne	al		/* LOOK, or CLOSED if no other one was seen */
	mov	[rcx + WL_CALL_OPEN], rax
	jmp	none

/* Close whatever is open at r11: another call is there now. */
wl_calls_missed:
	save
	home	r11
	xor	edx, edx
1:	mov	rax, rcx
	xor	rax, rdx
	cmp	[rax + WL_CALL_SP], r11
	jne	2f
	cmp	qword ptr [rax + WL_CALL_OPEN], WL_CALL_LOOK
	jbe	2f
	mov	qword ptr [rax + WL_CALL_OPEN], WL_CALL_LOOK
2:	add	edx, WL_CALL_SIZE
	cmp	edx, WL_CALL_GROUP
	jb	1b
	jmp	none

/*
 * rcx = the cell of the call that returns at r11, or 0. In: rcx is the cell at which the search begins, rdx the row.
 * Changes rax.
 *
 * No cell changes its owner here, because no other thread touches an open cell.
 */
find_call:
	push	rbx
	push	rsi
	push	r8
	push	r9
	push	r10
	fingerprint r9, r8
	mov	r8, rcx
	xor	esi, esi
	xor	r10d, r10d
1:	mov	rcx, r8
	xor	rcx, rsi
	cmp	[rcx + WL_CALL_SP], r11
	jne	2f
	mov	rax, [rcx + WL_CALL_OPEN]
	cmp	rax, WL_CALL_LOOK
	jbe	2f
	cmp	rax, [r11]
	jne	2f
	mov	eax, [rdx + WL_ROW_EVENT + 8 * WL_EVENT_SITE]
	cmp	[rcx + WL_CALL_SITE], eax
	jne	2f
	mov	eax, [rcx + WL_CALL_FLAGS]
	test	al, WL_CALL_SHARED | WL_CALL_GUESSED | WL_CALL_UNKNOWN
	je	4f
	mov	rbx, [rip + table]
	cmp	[rcx + WL_CALL_REGS], r9
	je	3f
	and	eax, WL_CALL_GUESSED
	or	r10d, eax
2:	add	esi, WL_CALL_SIZE
	cmp	esi, WL_CALL_GROUP
	jb	1b
	mov	rbx, [rip + table]
	test	r10d, r10d
	je	8f
	mov	qword ptr [rbx + WL_ROW_COPIES], 1 /* one that was assumed to be over */
	jmp	8f
3:	test	al, WL_CALL_UNKNOWN
	jne	5f
	test	al, WL_CALL_LATER
	je	6f
	mov	qword ptr [rbx + WL_ROW_COPIES], 1
6:	test	al, WL_CALL_GUESSED
	je	4f
	cmp	qword ptr [rbx + WL_ROW_COPIES], 0
	je	4f
	jmp	7f
5:	dec	qword ptr [rcx + WL_CALL_TIME]
	jne	8f
	mov	qword ptr [rbx + WL_ROW_COPIES], 1 /* all of them have returned */
7:	mov	qword ptr [rcx + WL_CALL_OPEN], WL_CALL_LOOK
8:	xor	ecx, ecx
4:	pop	r10
	pop	r9
	pop	r8
	pop	rsi
	pop	rbx
	ret

/*
 * A cell for the call that begins at r11. In: rcx is the cell at which the search begins, rdx the row. Out: rcx is
 * the cell, and rax the site with flags; or rcx is 0, if there is no room, or if the call is one of several that
 * can't be distinguished.
 *
 * r8: the owner; r9: the registers; rsi: the first cell; rdi: the distance to the current one, r14; r12: a closed
 * cell; r13: flags
 */
seek_cell:
	save_more
	fingerprint r9, r8
	mov	rbp, rdx
	mov	r8, [rdx + WL_ROW_KEEP]
	mov	rsi, rcx
	xor	edi, edi
	xor	r12d, r12d
	xor	r13d, r13d
1:	mov	r14, rsi
	xor	r14, rdi
	cmp	[r14 + WL_CALL_SP], r11
	jne	6f
	cmp	qword ptr [r14 + WL_CALL_OPEN], WL_CALL_LOOK
	jbe	5f
	mov	rax, [rip + table]
	cmp	qword ptr [rax + WL_ROW_COPIES], 0
	jne	3f		/* no guesses */
	test	byte ptr [r14 + WL_CALL_FLAGS], WL_CALL_LEFT
	jne	2f
	.irp	i, 0, 1, 2, 3
	mov	rax, [r8 + WL_KEEP_RAISED + 16 * \i + 8]
	dec	rax		/* none: the largest */
	cmp	rax, r11
	jb	2f
	.endr
	jmp	3f
2:	or	r13d, WL_CALL_GUESSED
	cmp	qword ptr [r14 + WL_CALL_THROWN], 0
	je	4f
	drop
4:	or	byte ptr [r14 + WL_CALL_FLAGS], WL_CALL_GUESSED /* also if a handler leaves this now */
	mov	qword ptr [r14 + WL_CALL_OPEN], WL_CALL_LOOK
	jmp	5f
3:	or	byte ptr [r14 + WL_CALL_FLAGS], WL_CALL_SHARED | WL_CALL_LATER
	or	r13d, WL_CALL_SHARED
	cmp	[r14 + WL_CALL_REGS], r9
	jne	6f
	or	r13d, WL_CALL_UNKNOWN
	test	byte ptr [r14 + WL_CALL_FLAGS], WL_CALL_UNKNOWN
	jne	7f
	or	byte ptr [r14 + WL_CALL_FLAGS], WL_CALL_UNKNOWN
	mov	qword ptr [r14 + WL_CALL_TIME], 1
7:	inc	qword ptr [r14 + WL_CALL_TIME]
	jmp	6f
5:	cmp	qword ptr [r14 + WL_CALL_OPEN], WL_CALL_CLOSED
	je	8f
	mov	al, [r14 + WL_CALL_FLAGS]
	and	eax, WL_CALL_GUESSED
	or	r13d, eax
8:	test	r12, r12
	cmove	r12, r14
	je	6f
	test	r13b, WL_CALL_GUESSED
	je	9f
	or	byte ptr [r12 + WL_CALL_FLAGS], WL_CALL_GUESSED
	mov	qword ptr [r12 + WL_CALL_OPEN], WL_CALL_LOOK
9:	mov	rax, r11	/* one closed cell is enough */
	mov	rdx, [r14 + WL_CALL_OWNER]
	free	r14
6:	add	edi, WL_CALL_SIZE
	cmp	edi, WL_CALL_GROUP
	jb	1b

	test	r12, r12
	je	9f
	mov	rax, r11
	mov	rdx, [r12 + WL_CALL_OWNER]
	test	r13b, WL_CALL_UNKNOWN
	jne	8f
	cmp	rdx, r8
	je	have
	mov	rbx, r11
	mov	rcx, r8
	exchange r12
	jne	room
	mov	r14, r12
	jmp	list
8:	free	r12
9:	test	r13b, WL_CALL_UNKNOWN
	jne	no_cell

/*
 * A cell without an owner, or else a closed one of our own. Other calls may be open at this S: if a handler leaves
 * this code before the call is kept, the next entry has to search.
 */
room:
	xor	edi, edi
	xor	r12d, r12d
1:	mov	r14, rsi
	xor	r14, rdi
	mov	rdx, [r14 + WL_CALL_OWNER]
	test	rdx, rdx
	jne	2f
	xor	eax, eax
	mov	ebx, CLAIMED
	mov	rcx, r8
	exchange r14
	jne	3f
	mov	qword ptr [r14 + WL_CALL_OPEN], WL_CALL_LOOK
	mov	[r14 + WL_CALL_FLAGS], r13d
	mov	[r14 + WL_CALL_SP], r11
	jmp	list
2:	cmp	rdx, r8
	jne	3f
	cmp	qword ptr [r14 + WL_CALL_OPEN], WL_CALL_LOOK
	ja	3f
	test	r12, r12
	cmove	r12, r14
3:	add	edi, WL_CALL_SIZE
	cmp	edi, WL_CALL_GROUP
	jb	1b
	test	r12, r12
	je	no_cell
	mov	qword ptr [r12 + WL_CALL_OPEN], WL_CALL_LOOK
	mov	rax, [r12 + WL_CALL_SP]
	mov	rdx, r8
	mov	rbx, r11
	mov	rcx, r8
	exchange r12
	jne	no_cell
	mov	[r12 + WL_CALL_FLAGS], r13d
	mov	eax, [r12 + WL_CALL_AT]
	and	eax, LIST_MASK
	mov	[r8 + WL_KEEP_LIST + rax * 8], r11
	jmp	have

/*
 * The cell at r14 has just become ours. List it in place of a closed one, which is freed. edi: tries; rsi: the place
 * in the list; r9: the S listed there; r12: the first cell for that S; ebx: the distance
 */
list:
	mov	edi, LIST_TRIES
1:	mov	esi, [r8 + WL_KEEP_HAND]
	and	esi, LIST_MASK
	lea	eax, [rsi + 1]
	mov	[r8 + WL_KEEP_HAND], eax
	mov	r9, [r8 + WL_KEEP_LIST + rsi * 8]
	test	r9, r9
	je	5f
	home	r9
	mov	r12, rcx
	xor	ebx, ebx
2:	mov	rcx, r12
	xor	rcx, rbx
	cmp	[rcx + WL_CALL_SP], r9
	jne	3f
	cmp	[rcx + WL_CALL_OWNER], r8
	jne	3f
	cmp	[rcx + WL_CALL_AT], rsi
	je	4f
3:	add	ebx, WL_CALL_SIZE
	cmp	ebx, WL_CALL_GROUP
	jb	2b
	jmp	5f		/* it is listed elsewhere, or another's */
4:	cmp	rcx, r14
	je	5f
	cmp	qword ptr [rcx + WL_CALL_OPEN], WL_CALL_LOOK
	ja	6f
	mov	r12, rcx
	mov	rax, r9
	mov	rdx, r8
	free	r12
	jmp	5f
6:	dec	edi
	jne	1b
	mov	rax, r11	/* too many are open */
	mov	rdx, r8
	free	r14
no_cell:
	xor	ecx, ecx
	jmp	sought
5:	mov	[r8 + WL_KEEP_LIST + rsi * 8], r11
	mov	[r14 + WL_CALL_AT], rsi
	mov	r12, r14
have:
	mov	rcx, r12
	shl	r13, 32
	mov	eax, [rbp + WL_ROW_EVENT + 8 * WL_EVENT_SITE]
	or	rax, r13
sought:
	mov	rdx, rbp
	restore_more
	ret

/* rdx = where the exception rdi is remembered; ZF is clear if it isn't */
	.macro	recall
	lea	rdx, [r8 + WL_KEEP_RAISED]
	.irp	i, 1, 2, 3, 4
	cmp	[rdx], rdi
	je	61f
	add	rdx, 16
	.endr
	or	eax, 1
61:
	.endm

wl_calls_raised:
	save
	push	r8
	row
	mov	r8, [rdx + WL_ROW_KEEP]
	recall
	je	1f
	mov	eax, [r8 + WL_KEEP_NEXT]
	lea	edx, [rax + 1]
	mov	[r8 + WL_KEEP_NEXT], edx
	and	eax, WL_RAISED - 1
	shl	eax, 4
	lea	rdx, [r8 + WL_KEEP_RAISED + rax]
1:	mov	[rdx], rdi
	mov	[rdx + 8], r11
	pop	r8
	jmp	none

/*
 * Run `do` for each open cell with S from r12 to r11, with the cell in r14 and its S in rbp. All pages of that range
 * of the stack are searched. If the range is large, because a jump leads to another stack or a thread ends, only the
 * owner's own listed cells are. r8: the owner; r9: the stack's 512 bytes, or the place in the list; rbx: the page, or
 * the first cell; rsi: the distance. Changes rax, rcx.
 */
	.macro	each do
	mov	rax, r11
	sub	rax, r12
	cmp	rax, NEAR
	ja	6f
	mov	r9, r12
	and	r9, -512
1:	home	r9
	mov	rbx, rcx
	xor	esi, esi
2:	lea	r14, [rbx + rsi]
	mov	rbp, [r14 + WL_CALL_SP]
	cmp	rbp, r12
	jb	3f
	cmp	rbp, r11
	ja	3f
	cmp	qword ptr [r14 + WL_CALL_OPEN], WL_CALL_LOOK
	jbe	3f
	\do
3:	add	esi, WL_CALL_SIZE
	cmp	esi, 4096
	jb	2b
	add	r9, 512
	cmp	r9, r11
	jbe	1b
	jmp	5f

6:	xor	r9d, r9d
1:	mov	rbp, [r8 + WL_KEEP_LIST + r9 * 8]
	test	rbp, rbp
	je	5f		/* the list hasn't been longer yet */
	cmp	rbp, r12
	jb	4f
	cmp	rbp, r11
	ja	4f
	home	rbp
	mov	rbx, rcx
	xor	esi, esi
2:	mov	r14, rbx
	xor	r14, rsi
	cmp	[r14 + WL_CALL_SP], rbp
	jne	3f
	cmp	[r14 + WL_CALL_OWNER], r8
	jne	3f
	cmp	qword ptr [r14 + WL_CALL_OPEN], WL_CALL_LOOK
	jbe	3f
	\do
3:	add	esi, WL_CALL_SIZE
	cmp	esi, WL_CALL_GROUP
	jb	2b
4:	inc	r9d
	cmp	r9d, WL_LISTED
	jb	1b
5:
	.endm

/*
 * r13 = the innermost call that has probes for exceptions. If it is uncertain whether a call has been left, it is
 * closed and counted.
 */
	.macro	consider
	cmp	qword ptr [r14 + WL_CALL_THROWN], 0
	je	3f
	mov	eax, 1
	test	byte ptr [r14 + WL_CALL_FLAGS], WL_CALL_UNKNOWN
	cmovne	rax, [r14 + WL_CALL_TIME]
	jne	71f
	mov	rcx, [rip + table]
	cmp	qword ptr [rcx + WL_ROW_COPIES], 0
	jne	71f
	test	r13, r13
	cmove	r13, r14
	cmp	rbp, [r13 + WL_CALL_SP]
	cmovb	r13, r14
	jmp	3f
71:	mov	rcx, [rip + tallies]
	add	[rcx + r10 + WL_TALLY_DROPPED], rax
	mov	qword ptr [r14 + WL_CALL_OPEN], WL_CALL_LOOK
	.endm

	.macro	leave_behind
	test	byte ptr [r14 + WL_CALL_FLAGS], WL_CALL_UNKNOWN
	jne	3f
	lock or	byte ptr [r14 + WL_CALL_FLAGS], WL_CALL_LEFT /* it may be another stack's, in use now */
	.endm

wl_calls_caught:
	save
	save_more
	row
	mov	r8, [rdx + WL_ROW_KEEP]
	test	rdi, rdi
	je	left_behind
	recall
	jne	left_behind
	push	rdx
	mov	r12, [rdx + 8]
	xor	r13d, r13d
	each	consider
	test	r13, r13
	jne	tell_left
	each	leave_behind
	pop	rdx
	mov	qword ptr [rdx], 0
	mov	qword ptr [rdx + 8], 0
left_behind:
	restore_more
	jmp	none
tell_left:
	pop	rdx
	row
	mov	rcx, r13
	xor	eax, eax
	cmp	dword ptr [rcx + WL_CALL_FLAGS], 0
	setne	al		/* LOOK or CLOSED */
	mov	[rcx + WL_CALL_OPEN], rax
	mov	eax, [rcx + WL_CALL_SITE]
	mov	[rdx + WL_ROW_EVENT + 8 * WL_EVENT_SITE], rax
	mov	rax, [rcx + WL_CALL_SP]
	mov	[rdx + WL_ROW_EVENT + 8 * WL_EVENT_SP], rax
	mov	rax, [rcx + WL_CALL_CALLER]
	mov	[rdx + WL_ROW_EVENT + 8 * WL_EVENT_CALLER], rax
	tell
	mov	r11, [rcx + WL_CALL_THROWN]
	restore_more
	jmp	found

/*
 * r12 = where the jump to rax leads from. On a slot's own stack a handler has interrupted a probe: its run, whose old
 * stack pointer is at that stack's top, is left as well, if the jump leads off that stack. Changes rcx.
 */
	.macro	origin
	mov	r12, r11
	mov	rcx, r11
	xor	rcx, rax
	shr	rcx, WL_STACK_SHIFT
	je	83f
	mov	rcx, r11
	sub	rcx, [rip + stacks]
	cmp	rcx, [rip + stacks_size]
	jae	83f
	or	r12, (1 << WL_STACK_SHIFT) - 1
	mov	r12, [r12 - 7]
83:
	.endm

/* rax = where the jump of rdi leads. glibc encrypts that in its jmp_buf, musl doesn't. Changes rcx. */
	.macro	target
	mov	rax, [rdi + JMP_BUF_SP]
	mov	rcx, rax
	shr	rcx, 47
	jne	81f
	test	al, 7
	je	82f
81:	ror	rax, ROTATED
	xor	rax, fs:[POINTER_GUARD]
82:
	.endm

wl_calls_jumps:
	save
	save_more
	row
	mov	r8, [rdx + WL_ROW_KEEP]
	target
	origin
	lea	r11, [rax - 1]
	cmp	rax, r12
	ja	go_past
	mov	rax, [rip + table]
	mov	qword ptr [rax + WL_ROW_COPIES], 1
	jmp	left_behind

/*
 * Change only flags of open cells: the row belongs to another run, which isn't over yet. If the handler is on an
 * alternate stack above the jump's destination, calls have been left from that run's mark.
 */
wl_calls_jumped:
	save
	save_more
	row
	mov	r8, [rdx + WL_ROW_KEEP]
	test	r8, r8
	je	left_behind
	target
	origin
	cmp	r12, rax
	cmova	r12, [rdx + WL_ROW_KEY]
	lea	r11, [rax - 1]
	cmp	rax, r12
	ja	go_past
	jmp	left_behind

wl_calls_ends:
	save
	save_more
	row
	mov	r8, [rdx + WL_ROW_KEEP]
	mov	rax, -1
	origin
	mov	r11, rax
go_past:
	each	leave_behind
	jmp	left_behind

	.balign	16
wl_calls_end:
	.section .note.GNU-stack, "", @progbits
