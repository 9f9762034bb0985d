// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's stack at an event, found by the kernel's own unwinder.
 *
 * The unwinder doesn't know the arena's code: probes and stubs have no unwind tables. So it doesn't start here. A stub
 * leaves where its frame is, and the walk starts in the probed function as if its first instruction came next: its
 * return address is on top of the stack, and all registers are its caller's. At its return that is just as true. The
 * walk of a tracepoint starts in the function that has called it.
 *
 * Further out there may be stubs again. A stub that wraps calls (wrap.c) is between a function and its caller as long
 * as the call is open:
 *
 *	... <- function <- stub <- function, behind its first instruction <- caller
 *
 * The unwinder steps over the stub by its frame pointer. The stub and the function's second frame are left out. A task
 * that was preempted in a stub has only one frame of the function, which is kept: then the stub has called C code of
 * ours. Of an interrupt that came in a stub it isn't known where the frame of the stub is, so there the stack is lost.
 *
 * What is walked is the stack of the running task, and of interrupts on top of it. The guard is held, so a processor
 * makes one walk at a time. Its data are too large for the stack.
 */
#include <linux/ftrace.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <asm/segment.h>
#include <asm/text-patching.h>
#include <asm/unwind.h>

#include "arena.h"
#include "compat.h"
#include "hook.h"

/* Frames that are looked at, with those that are left out. */
enum { MOST_STEPS = 192 };

#define EXACT BIT_ULL(63) /* of an address in the table: it is no return address */

struct walk {
	struct unwind_state at;
	struct pt_regs from;
	u32 n, most;
	u64 words[1 + WARD_K_STACK_MOST];
};

static DEFINE_PER_CPU(struct walk, walks);

static bool is_in_arena(unsigned long ip)
{
	return ip - (unsigned long)ward_arena < WARD_ARENA_SIZE;
}

/* Where a function begins whose first instruction is there that calls a tracer. */
static unsigned long beginning_of(unsigned long ip)
{
	u32 first;

	if (IS_ENABLED(CONFIG_X86_KERNEL_IBT) && !get_kernel_nofault(first, (u32 *)(ip - sizeof(first))) &&
		ward_is_endbr(first))
		return ip - sizeof(first);
	return ip;
}

/* False: there are as many as wanted. */
static bool frame_add(struct walk *w, unsigned long ip, bool exact)
{
	if (w->n == w->most)
		return false;
	w->words[++w->n] = (ip & ~EXACT) | (exact ? EXACT : 0);
	return true;
}

/* The first frame, and the registers with which the walk goes on. False: a sample was taken in user mode. */
static bool walk_begin(struct walk *w, const u64 *event)
{
	const struct ward_hook *hook = (const struct ward_hook *)event[WARD_HOOK];
	unsigned long from = event[WARD_FROM], ip, sp, bp;

	if (from & 1) {
		const struct ward_place *place = (const struct ward_place *)(from & ~1ul);

		ip = place->ip;
		sp = place->sp;
		bp = place->bp;
		if (ip < TASK_SIZE_MAX)
			return false;
	} else {
		const unsigned long *frame = (const unsigned long *)from;

		ip = hook->point ? frame[1] - 1 : frame[1] - MCOUNT_INSN_SIZE;
		sp = (unsigned long)&frame[2];
		bp = frame[0];
	}
	if (from & 1 || !hook->point)
		frame_add(w, beginning_of(ip), true);
	else if (ip - hook->iterator >= hook->iterator_size)
		frame_add(w, ip + 1, false);
	w->from.ip = ip;
	w->from.sp = sp;
	w->from.bp = bp;
	w->from.cs = __KERNEL_CS;
	return true;
}

/* Has the stub that the call there returns to called the function, or C code of ours? */
static bool has_wrapped(unsigned long behind)
{
	const u8 *call = (const u8 *)behind - CALL_INSN_SIZE;
	s32 distance;

	if (*call != CALL_INSN_OPCODE)
		return true; /* by an address */
	memcpy(&distance, call + 1, sizeof(distance));
	return !within_module(behind + distance, THIS_MODULE);
}

/* From the caller of the first one outwards. Returns how it ends. */
static u64 walk_on(struct walk *w)
{
	struct unwind_state *at = &w->at;
	unsigned long ip, stub = 0;
	bool is_again, is_ours = false;
	u32 steps = 0;
	u64 how = 0;

	for (__unwind_start(at, current, &w->from, NULL); !unwind_done(at); unwind_next_frame(at)) {
		if (at->error && !is_ours)
			how |= WARD_K_STACK_BY_RBP;
		at->error = false;
		if (at->regs && user_mode(at->regs))
			return how;
		if (++steps > MOST_STEPS)
			return how | WARD_K_STACK_CUT;
		ip = unwind_get_return_address(at);
		if (!ip)
			return how | WARD_K_STACK_LOST;
		is_again = stub && has_wrapped(stub);
		stub = 0;
		is_ours = is_in_arena(ip);
		if (is_ours && at->signal)
			return how | WARD_K_STACK_LOST;
		if (is_ours)
			stub = ip;
		else if (!is_again && !within_module(ip, THIS_MODULE) && !frame_add(w, ip, at->signal))
			return how | WARD_K_STACK_CUT;
	}
	return at->error ? how | WARD_K_STACK_LOST : how;
}

u64 notrace ward_take_stack(u64 frames)
{
	const u64 *event = raw_cpu_ptr(&ward_cpu)->event;
	const struct ward_hook *hook = (const struct ward_hook *)event[WARD_HOOK];
	struct walk *w = raw_cpu_ptr(&walks);
	u64 how;

	w->n = 0;
	w->most = frames ? min_t(u64, frames, WARD_K_STACK_MOST) : WARD_K_STACK_MOST;
	if (!walk_begin(w, event))
		return 0;
	how = walk_on(w);
	w->words[0] = how << 32 | w->n;
	return w->n ? ward_keep_stack(hook->session->stacks, w->words, 1 + w->n) : 0;
}
