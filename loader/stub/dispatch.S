/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dispatcher finds a thread's row, and passes on the state of a thread that has ended. dispatch.c copies this
 * code into targets.
 *
 * In: r11 is the thread's key, r10 the offset of the row where it should be. Out: ZF is set, and r10 is the thread's
 * row, which isn't busy. Or ZF is clear: the event must be dropped, and counted in the tally of the row at r10 if
 * probes miss it. Only r10 and flags change.
 *
 * A row is
 *
 *	key     owner
 *	0       0        free, and never used
 *	fs:0    fs:0     of a thread that is outside probes
 *	rsp     fs:0     of one inside a probe: the stub's stack pointer, right below r11 and r10
 *	0       fs:0     of one without a state: there was none left, or the row was claimed just now
 *	TAKING  fs:0     of one that is getting a state
 *	mark    fs:0     of one whose end another thread checks
 *	0       GONE     given up
 *
 * A thread may have several rows. It uses one that isn't busy, if there is any. If all are busy, there are two cases.
 * Either the event came from within a probe, in a signal handler, and is dropped. Or the handler has left that probe
 * by siglongjmp, which nothing reports, and without a new row the thread's events would be dropped for ever. The
 * stack pointer in each mark is compared with the current one, to distinguish the cases as far as possible:
 *
 * 1. The current stub has pushed something where the marked one had pushed something. Two running stubs can't have
 *    the same memory, so the marked one is over, and its row is free.
 * 2. The current stub is below the mark, or on the row's own stack, as in a handler. The event is dropped. If the
 *    marked stub is over, that shows when the thread comes up again. That may be late, as fibers can be at any
 *    address. So after PATIENCE events within one run of probes, case 3 applies.
 * 3. The current stub is above the mark. The marked one is over; or it waits below for a handler on an alternate
 *    stack, or for another fiber, at a higher address. Which one doesn't matter: the thread gets another row, with a
 *    state and a stack of its own, as additive state allows. If the marked stub ends, it frees its row, which the
 *    thread can then use again. A thread has at most MOST_ROWS rows.
 *
 * What an abandoned probe had half done stays so.
 *
 * The search for a thread's row passes over rows that were given up, and ends at the first that was never used. The
 * thread claims the first row of either kind.
 *
 * When all states have been given out, a new thread takes over the state of one that has ended, with the stack that
 * belongs to it, and the other row is given up. The thread continues with what the state holds, as additive state
 * allows. No other thread may use the state then. That is ensured as follows:
 *
 * 1. The key of a row whose thread is outside probes is replaced by a mark, which no other key equals. From then on
 *    that thread, or a new one with its control block at the same address, doesn't find its row by the stub's
 *    compare. It comes here, makes the mark its key again, and continues.
 * 2. Has the thread ended? A thread that had found its key just before, but hasn't marked the row busy yet, hasn't
 *    ended. One that comes later finds the mark.
 * 3. If the thread has ended, and the mark is still there, the row is given up: key and owner at once. Otherwise the
 *    key is restored, if the mark is still there.
 *
 * A thread has ended if its control block no longer begins with its own address, or is unmapped: the ABI has it begin
 * with that address, and the thread had just read it. Or it has ended if there is no thread id where glibc keeps it.
 * The kernel clears that word when the thread has left its stack for good (CLONE_CHILD_CLEARTID). glibc itself reuses
 * the stack only then, and sets the word to -1 when the thread has been joined. When a thread claims its row, these
 * two properties are checked. A thread that has neither is never known to have ended. A row whose thread has ended
 * inside a probe is left alone.
 *
 * Memory that may be unmapped is compared by a system call that every program with threads makes: a futex operation
 * moves zero waiters if a word has the expected value. A program with one thread may have forbidden that call, and be
 * killed for it. So if the check needs the call, the first thread isn't checked, and keeps its state. No call is
 * needed where the processor can read the base of fs, because the thread's own control block is there.
 *
 * A search for an ended thread begins where the last one stopped. After a search without success there is a pause,
 * however many events of threads without a state come. Where the time can't be read there is no search (inject.c).
 */
#include "dispatch.h"

	.intel_syntax noprefix

	.set SYS_FUTEX, 202
	.set CMP_REQUEUE_PRIVATE, 4 | 128
	.set EAGAIN, 11
	.set EFAULT, 14
	.set EINTR, 4
	.set GLIBC_SELF, 0x10 /* where its control block has its address once more */
	.set ROW, 256
	.set REST_CYCLES, 1 << 28
	.set MARK_SHIFT, 25 /* rows' offsets are smaller */
	.set MOST_ROWS, 16
	.set PATIENCE, 16
	.set PUSHED, 24 /* bytes, from a mark up: by every stub */
	.set STUB, 7 * 8 /* where its stack pointer was, above the dispatcher's */

	.section .rodata.ward_dispatch, "a"
	.globl	wl_dispatch_code, wl_dispatch_start, wl_dispatch_end
	.hidden	wl_dispatch_code, wl_dispatch_start, wl_dispatch_end
	.balign	16
wl_dispatch_code: /* struct wl_dispatch, filled in in the copy */
table:		.quad	0
tallies:	.quad	0
states:		.quad	0
stride:		.quad	0
stacks:		.quad	0
mask:		.long	0
most:		.long	0
id_at:		.long	0
reclaims:	.long	0
gate:		.long	0
doubt:		.long	0
has_base:	.long	0
		.long	0, 0, 0

/*
 * eax = 0 if the four bytes at rdi equal r9d, -EAGAIN if not, -EFAULT if they are unmapped. Changes rcx, rdx, rsi,
 * r8, r10, r11.
 */
	.macro	compare
1:	mov	eax, SYS_FUTEX
	mov	esi, CMP_REQUEUE_PRIVATE
	xor	edx, edx	/* wake none */
	xor	r10d, r10d	/* move none */
	mov	r8, rdi
	syscall
	cmp	eax, -EINTR
	je	1b
	.endm

	.balign	16
wl_dispatch_start:
	push	rax
	push	rcx
	push	rdx
	push	r10
	push	0		/* a row of this thread that is inside a probe, or 0 */
	push	0		/* how many rows may still be passed over */
	/* a thread without a control block: no thread has an address of the kernel's, or one near 0 */
	cmp	r11, WL_LEAST_BASE
	jl	lost
again:
	mov	qword ptr [rsp], MOST_ROWS
	mov	qword ptr [rsp + 8], 0
	mov	r10, [rsp + 16]
	mov	rdx, [rip + table]
	mov	ecx, [rip + mask]
next:
	mov	rax, [rdx + r10 + WL_ROW_OWNER]
	cmp	rax, r11
	je	mine
	test	rax, rax
	je	unknown
pass:
	add	r10d, ROW
	and	r10d, [rip + mask]
	sub	ecx, ROW
	jns	next
	jmp	unknown
mine:
	mov	rax, [rdx + r10 + WL_ROW_KEY]
	cmp	rax, r11
	je	done
	test	rax, rax
	je	stateless
	cmp	[rdx + r10 + WL_ROW_OWNER], r11
	jne	again		/* another thread's key: the row was given up before this thread began */
	test	rax, rax
	jns	busy
	lock cmpxchg [rdx + r10 + WL_ROW_KEY], r11
	/* the checking thread has restored it, or was about to give the row up when this thread began */
	jne	again
	jmp	done

busy:
	cmp	rax, WL_TAKING
	je	passed		/* perhaps for good, if a handler left this code by siglongjmp */
	sub	rax, rsp
	sub	rax, STUB - (PUSHED - 1)
	cmp	rax, 2 * PUSHED - 1
	jb	over
	test	rax, rax
	jns	within
	mov	rax, [rdx + r10 + WL_ROW_STACK]
	sub	rax, rsp
	cmp	rax, 1 << WL_STACK_SHIFT
	ja	passed
within:
	push	rcx
	mov	rcx, [rip + tallies]
	mov	rax, [rdx + r10 + WL_ROW_KEY]
	add	rax, [rcx + r10 + WL_TALLY_EVENTS] /* another value for the next run */
	pop	rcx
	cmp	[rdx + r10 + WL_ROW_RUN], rax
	je	1f
	mov	[rdx + r10 + WL_ROW_RUN], rax
	mov	qword ptr [rdx + r10 + WL_ROW_WITHIN], 0
1:	inc	qword ptr [rdx + r10 + WL_ROW_WITHIN]
	cmp	qword ptr [rdx + r10 + WL_ROW_WITHIN], PATIENCE
	ja	passed
	mov	[rsp + 8], r10
passed:
	dec	qword ptr [rsp]
	jne	pass
	jmp	drop
over:
	mov	[rdx + r10 + WL_ROW_KEY], r11
	cmp	eax, eax	/* ZF */
	jmp	done
lost:
	xor	r10d, r10d
drop:
	or	eax, 1		/* not ZF */
done:
	lea	rsp, [rsp + 24]
	pop	rdx
	pop	rcx
	pop	rax
	ret

/* The thread has no row, or no free one and may be outside probes. Claim the first row that is free. */
unknown:
	mov	r10, [rsp + 8]
	test	r10, r10
	jne	drop
	mov	r10, [rsp + 16]
	mov	ecx, [rip + mask]
try:
	mov	rax, [rdx + r10 + WL_ROW_OWNER]
	test	rax, rax
	je	claim
	cmp	rax, WL_GONE
	je	claim
	add	r10d, ROW
	and	r10d, [rip + mask]
	sub	ecx, ROW
	jns	try
	call	sweep		/* all rows are claimed, some by threads without a state, perhaps ended */
	mov	qword ptr [rsp - 8], 0
	je	again
	jmp	lost
claim:
	lock cmpxchg [rdx + r10 + WL_ROW_OWNER], r11
	jne	again		/* another thread was quicker, or a signal handler of this very thread */

/* The thread's row has no state. */
stateless:
	push	rbx
	push	rbp
	lea	rbp, [rdx + r10]
	xor	eax, eax	/* (0, fs:0) becomes (TAKING, fs:0) */
	mov	rdx, r11
	mov	ebx, WL_TAKING
	mov	rcx, r11
	lock cmpxchg16b [rbp]
	pop	rbp
	pop	rbx
	jne	again
	cmp	dword ptr [rip + reclaims], 0
	je	unused
	mov	rax, [rip + tallies]
	cmp	qword ptr [rax + WL_TALLY_STATES], 0
	je	unused		/* perhaps the only thread, and it may have forbidden itself system calls */
	call	look
	mov	qword ptr [rsp - 8], 0

/*
 * Take a state that was never used. The number exceeds `most` only by threads that come at the same time, because it
 * is read as how many there are. This code uses little stack, for small stacks.
 */
unused:
	mov	rdx, [rip + tallies]
	mov	ecx, [rip + most]
	cmp	[rdx + WL_TALLY_STATES], rcx
	jae	used
	mov	eax, 1
	lock xadd [rdx + WL_TALLY_STATES], rax
	cmp	rax, rcx
	jae	used
	mov	rdx, [rip + table]
	mov	rcx, [rip + stride]
	imul	rcx, rax
	add	rcx, [rip + states]
	mov	[rdx + r10 + WL_ROW_STATE], rcx
	shl	rax, WL_STACK_SHIFT
	add	rax, [rip + stacks]
	mov	[rdx + r10 + WL_ROW_KEEP], rax
	add	rax, 1 << WL_STACK_SHIFT
	mov	[rdx + r10 + WL_ROW_STACK], rax
taken:
	mov	rdx, [rip + table]
	mov	[rdx + r10 + WL_ROW_KEY], r11
	cmp	eax, eax	/* ZF */
	jmp	done
used:
	cmp	dword ptr [rip + reclaims], 0
	je	refused
	call	reclaim
	mov	qword ptr [rsp - 8], 0
	je	taken
refused:
	mov	rdx, [rip + table]
	mov	qword ptr [rdx + r10 + WL_ROW_KEY], 0
	jmp	drop

	.macro	save
	push	rbx
	push	rbp
	push	rsi
	push	rdi
	push	r8
	push	r9
	push	r12
	push	r13
	push	r14
	push	r15
	push	r10
	push	r11
	mov	r12, [rip + table]
	.endm

	.macro	restore
	pop	r11
	pop	r10
	pop	r15
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

/* Check once what is known of the thread of the row at r10, which is r11. Changes rax, rcx, rdx. */
look:
	save
	lea	r13, [r12 + r10]
	cmp	qword ptr [r13 + WL_ROW_KNOWN], 0
	jne	looked
	mov	ebp, WL_KNOWN
	mov	eax, [rip + gate]
	mov	al, [rax + WL_GATE_FLAGS]
	test	al, [rip + doubt]
	jne	doubtful
	cmp	dword ptr [rip + has_base], 0
	je	doubtful
	rdfsbase rax
	cmp	rax, r11
	jne	known
	or	ebp, WL_KNOWN_SELF
	mov	edi, [rip + id_at]
	test	edi, edi
	je	known
	cmp	dword ptr [r11 + rdi], 0
	je	known
	or	ebp, WL_KNOWN_ID
	jmp	known
/* Without rdfsbase, or where the base may be anything: by system calls. */
doubtful:
	mov	eax, [rip + gate]
	test	byte ptr [rax + WL_GATE_FLAGS], WL_NO_CALLS
	jne	known
	mov	rdi, r11
	mov	r9d, r11d
	compare
	test	eax, eax
	jne	known
	or	ebp, WL_KNOWN_SELF
	mov	edi, [rip + id_at]
	test	edi, edi
	je	known
	mov	rdi, [rsp]
	mov	r9d, edi
	add	rdi, GLIBC_SELF
	compare
	test	eax, eax
	jne	known
	mov	edi, [rip + id_at]
	add	rdi, [rsp]
	xor	r9d, r9d
	compare
	cmp	eax, -EAGAIN
	jne	known
	or	ebp, WL_KNOWN_ID
known:
	mov	[r13 + WL_ROW_KNOWN], rbp
looked:
	restore
	ret

/* Give up a row without a state whose thread has ended. ZF is set if there was one. Changes rax, rcx, rdx. */
sweep:
	save
	xor	r13d, r13d
	jmp	begin

/*
 * Give the thread's row, at r10, the state of a thread that has ended. ZF is set if there was one. Changes rax, rcx,
 * rdx.
 */
reclaim:
	save
	lea	r13, [r12 + r10]
begin:
	cmp	dword ptr [rip + reclaims], 0
	je	none
	mov	eax, [rip + gate]
	test	byte ptr [rax + WL_GATE_FLAGS], WL_NO_TIME | WL_NO_CALLS
	jne	none
	rdtsc
	shl	rdx, 32
	or	rax, rdx
	mov	rcx, [r12 + WL_ROW_REST]
	sub	rcx, rax
	cmp	rcx, REST_CYCLES
	jb	none		/* there was none a moment ago */
	shl	rax, MARK_SHIFT	/* the mark, from the time and this row */
	or	rax, r10
	bts	rax, 63
	mov	r14, rax
	mov	r15d, [rip + mask]
turn:
	mov	eax, [r12 + WL_ROW_HAND]
	add	eax, ROW
	and	eax, [rip + mask]
	mov	[r12 + WL_ROW_HAND], eax
	je	on		/* row 0 */
	lea	rbp, [r12 + rax]
	mov	rbx, [rbp + WL_ROW_OWNER]
	cmp	rbx, WL_GONE
	jbe	on
	mov	rax, [rbp + WL_ROW_KEY]
	test	rax, rax
	je	ask		/* no stub finds this row, and it has no state */
	js	mark		/* another thread's mark */
	cmp	rax, rbx
	jne	on		/* busy, or about to get a state */
mark:
	test	r13, r13
	je	on
	mov	rdx, rbx	/* (key, fs:0) becomes (mark, fs:0) */
	mov	rcx, rbx
	mov	rbx, r14
	lock cmpxchg16b [rbp]
	mov	rbx, rcx
	jne	on
	mov	rax, r14
ask:
	push	rax
	test	byte ptr [rbp + WL_ROW_KNOWN], WL_KNOWN_SELF
	je	alive
	mov	rdi, rbx
	mov	r9d, ebx
	compare
	cmp	eax, -EAGAIN
	je	ended
	cmp	eax, -EFAULT
	je	ended
	test	eax, eax
	jne	alive
	test	byte ptr [rbp + WL_ROW_KNOWN], WL_KNOWN_ID
	je	alive
	mov	edi, [rip + id_at]
	add	rdi, rbx
	xor	r9d, r9d
	compare
	test	eax, eax
	je	ended
	mov	r9d, -1
	compare
	test	eax, eax
	jne	alive
ended:
	pop	rax
	mov	rsi, [rbp + WL_ROW_STATE] /* before another thread has the row */
	mov	rdi, [rbp + WL_ROW_STACK]
	mov	r8, [rbp + WL_ROW_KEEP]
	mov	r9, rax
	mov	qword ptr [rbp + WL_ROW_KNOWN], 0 /* before the row is another one's */
	mov	rdx, rbx	/* (mark, fs:0), or (0, fs:0), becomes (0, GONE) */
	xor	ebx, ebx
	mov	ecx, WL_GONE
	lock cmpxchg16b [rbp]
	jne	on
	test	r9, r9
	je	no_state
	mov	[r13 + WL_ROW_STATE], rsi
	mov	[r13 + WL_ROW_STACK], rdi
	mov	[r13 + WL_ROW_KEEP], r8
	jmp	found
no_state:
	test	r13, r13
	jne	on
found:
	xor	eax, eax	/* ZF */
	jmp	end
alive:
	pop	rax
	test	rax, rax
	je	on
	lock cmpxchg [rbp + WL_ROW_KEY], rbx
on:
	sub	r15d, ROW
	jns	turn
	rdtsc
	shl	rdx, 32
	or	rax, rdx
	add	rax, REST_CYCLES
	mov	[r12 + WL_ROW_REST], rax
none:
	or	eax, 1		/* not ZF */
end:
	restore
	ret

	.balign	16
wl_dispatch_end:
	.section .note.GNU-stack, "", @progbits
