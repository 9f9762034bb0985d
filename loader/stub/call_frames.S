/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Both ends of a call: code that the stubs of an area share. One that stands at a function's entry calls `enter`,
 * one at an exit `leave`. call_frames.c copies this into targets.
 *
 * A call is known by where its return address lies, S: the stack pointer is the same at both ends. What is kept of
 * it is in a cell, which a hash of S finds among all of the process: not among the thread's, as threads aren't
 * stacks. A fiber that begins a call on one thread may end it on another, and one thread goes from stack to stack.
 *
 * Whose calls are right is a matter of proof. A return is its entry's other end if
 *
 *  1. a call is open at S, of this function and to be returned to where this return goes; and
 *  2. no other one can be open there: each entry looks at what is open at its S, whichever thread that began on.
 *
 * Else it is dropped and counted: it began before the probe was there, its entry was dropped (`missed` closes what
 * is open at S then), or there was no room.
 *
 * Two calls of one S. If an entry finds a call still open at S, that one has been left by a jump or an exception,
 * its fiber was given up, or it lies suspended with its stack copied away, as greenlets do it, and will be come back
 * to. Then both are kept, SHARED: each in a cell of its own, and the registers that the ABI has the same at both
 * ends (rbx, rbp, r12 to r15) tell which one returns. If they are the same for both it can't be told: then one cell
 * stands for all of them and counts them, UNKNOWN, and nothing is told of any.
 *
 * What a jump or an exception went past is over, and in nobody's way. longjmp and the C++ runtime are patched to see
 * that: a call open between where it was called from and where it leads is LEFT, and so is one above the place where
 * an exception was raised that hasn't been caught. The next entry at that S takes its place. This is a guess where
 * stacks are copied, and so such an entry is GUESSED: its registers must be right at the return. And if it shows
 * that stacks are copied (a call returns at whose S a later one began; or a jump leads inward, to where the thread
 * was deeper), `copies` says so for good: guesses are believed no more. A call that began before the probe was
 * there, and lies in a copied stack, is not seen to be in the way.
 *
 * A handler that leaves a stub finds the row busy, and so its jump does: `jumped` marks what it leaves, by flags of
 * open cells alone. And the mark stays behind. An entry below it is dropped, but not the return, if that stub has
 * pushed less and stands at the mark: so each event that is dropped, for whatever reason, closes what is open at S.
 *
 * An exception leaves exactly the calls between where it was raised and its handler, on one stack. Whoever catches
 * it calls __cxa_begin_catch, in the frame of the handler: `caught` finds those then, innermost first. One that is
 * found to have been left otherwise, by an entry that takes its place, is dropped and counted; so is each where it
 * can't be told which was left.
 *
 * Cells. One that is of use to nobody has zeros for sp and owner, and is claimed by whoever writes both at once. Its
 * owner is a thread's slot, and only that changes it then; without a lock, since the slot is busy meanwhile. But
 * whoever stands at S may close a cell of S, or take it from its owner, both words at once (a fiber has moved, or a
 * stack is another thread's now): the owner isn't there. An owner lists what it claims, and frees the oldest that is
 * closed when the list is full: so a few threads can't use up all cells, and one has at most WL_LISTED calls open.
 * Cells of 512 bytes of stack share a page, those of 128 a group, in which S is looked for. A new thread that goes
 * on with a slot goes on with its cells.
 *
 * Everything here may be overwritten by the target, as all of its memory. It harms itself alone.
 *
 * `open` is written last, but for the time: a handler that jumps out of the midst of this leaves a closed cell. It
 * is CLOSED only if no other call may be open at S; else LOOK, and the next entry looks for them.
 */
#include "call_frames.h"
#include "dispatch.h"

	.intel_syntax noprefix

	.set LIST_MASK, WL_LISTED - 1
	.set LIST_TRIES, 16
	.set CELLS_OF_512, 0x1f0 /* what chooses among a page's cells: frames are multiples of 16 bytes apart */
	.set NEAR, 0xffff
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

/* rcx = the cell where one of address \sp is looked for first. Changes rax. */
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
 * \to = a number of the registers that a function leaves as they are, by way of \by. Those that differ anywhere have
 * another.
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

/* Calls on the target's stack leave no address of ours there. */
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

/* (rax, rdx) becomes (rbx, rcx) in the cell, or not ZF. */
	.macro	exchange cell
	lock cmpxchg16b [\cell]
	.endm

/* The cell, (rax, rdx), is nobody's from now on, unless it is another's already. Changes rax, rbx, rcx, rdx. */
	.macro	free cell
	xor	ebx, ebx
	xor	ecx, ecx
	exchange \cell
	.endm

/* Of what is wanted, the event's words, from the cell at rcx. rdx is the row; changes rax, rdx and r11. */
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

/* Whatever is open at r11 is over: there is another one. */
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
 * The call that returns at r11: its cell, or 0, in rcx, which is where it is looked for first. rdx is the row.
 * Changes rax.
 *
 * Cells of others aren't taken: nobody else touches one that is open.
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
	mov	qword ptr [rbx + WL_ROW_COPIES], 1 /* one that was said to be over */
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
 * A cell for the call that begins at r11, in rcx, which is where it is looked for first, and its site with flags in
 * rax; or 0 in rcx: there is no room, or it is one of several that can't be told apart. rdx is the row.
 *
 * r8: the owner; r9: the registers; rsi: the first cell; rdi: the distance to the one at hand, r14; r12: a closed
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
	mov	rax, r11	/* one is enough */
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
 * One that is nobody's, or else one of our own that is closed. Others of this S may be open: if a handler leaves this
 * before the call is kept, the next entry has to look.
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
	mov	rbx, r11
	mov	rcx, r8
	exchange r14
	jne	3f
	mov	qword ptr [r14 + WL_CALL_OPEN], WL_CALL_LOOK
	mov	dword ptr [r14 + WL_CALL_FLAGS], 0
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
	mov	rax, [r12 + WL_CALL_SP]
	mov	rdx, r8
	mov	rbx, r11
	mov	rcx, r8
	exchange r12
	jne	no_cell
	mov	qword ptr [r12 + WL_CALL_OPEN], WL_CALL_LOOK
	mov	dword ptr [r12 + WL_CALL_FLAGS], 0
	mov	eax, [r12 + WL_CALL_AT]
	and	eax, LIST_MASK
	mov	[r8 + WL_KEEP_LIST + rax * 8], r11
	jmp	have

/*
 * The cell at r14 is ours since a moment ago: list it, in the place of one that is closed, which is nobody's then.
 * edi: tries; rsi: the place; r9: what it was listed for; r12: that one's first cell; ebx: the distance
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

/* rdx = where the exception rdi is remembered; not ZF if it isn't */
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
 * For each open cell of S from r12 to r11, which `do` has at r14, and its S in rbp: the pages of all of that stack
 * are looked at. If it is a large part of memory, as where a jump leads to another stack or a thread ends, only what
 * is our own and listed is. r8: the owner; r9: the stack's 512 bytes, or the place in the list; rbx: the page, or
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
 * r13 = the innermost that has probes for exceptions. One of which it can't be told whether it has been left is
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

/* rax = where the jump of rdi leads. glibc has it in its jmp_buf disguised, musl as it is. Changes rcx. */
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
 * Nothing but flags of open cells is changed: the row is another run's, which isn't over yet. If the handler is on an
 * alternate stack above where the jump leads, calls have been left from that run's mark.
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
