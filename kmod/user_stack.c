// SPDX-License-Identifier: GPL-2.0-only
/*
 * The running task's own stack, in its process: from where it has entered the kernel outwards, by frame pointers. Code
 * without these is not told from other code: the walk takes what rbp leads to, as long as it leads outwards, and says
 * that it has gone by rbp. The first caller may be missing then, where a function has no frame of its own, as those of
 * the C library that make a system call.
 *
 * All that is read is a copy that never faults. A page that isn't there ends the walk. The stack pointer and rbp are
 * whatever the process has left there.
 *
 * Of addresses alone nobody knows whose they are. So a stack begins with whose it is: the process's number, when it was
 * started, and where its first stack begins, which is another place after it has executed another program.
 */
#include <linux/hardirq.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include <asm/ptrace.h>

#include "hook.h"

#define EXACT BIT_ULL(63)

enum { OWNER = 2, FRAME_MOST = 1 << 20 }; /* words; bytes of a frame */

struct user_walk {
	u32 n, most;
	u64 words[1 + OWNER + WARD_K_STACK_MOST];
};

static DEFINE_PER_CPU(struct user_walk, walks);

/* What a frame pointer leads to. */
struct frame {
	u64 bp, ip;
};

static bool frame_read(struct frame *to, u64 at)
{
	bool good;

	if (in_nmi()) /* it may come amid a change of process */
		return false;
	pagefault_disable();
	good = access_ok((void __user *)at, sizeof(*to)) && !raw_copy_from_user(to, (void __user *)at, sizeof(*to));
	pagefault_enable();
	return good;
}

static bool frame_add(struct user_walk *w, u64 word)
{
	if (w->n == w->most)
		return false;
	w->words[1 + OWNER + w->n++] = word;
	return true;
}

/* Returns how it ends. */
static u64 walk_frames(struct user_walk *w, u64 sp, u64 bp)
{
	struct frame frame;

	while (bp) {
		if (bp < sp || bp - sp > FRAME_MOST || bp % 8 || !frame_read(&frame, bp))
			return WARD_K_STACK_LOST;
		if (!frame.ip)
			break;
		if (frame.ip >= TASK_SIZE_MAX)
			return WARD_K_STACK_LOST;
		if (!frame_add(w, frame.ip))
			return WARD_K_STACK_CUT;
		sp = bp + sizeof(frame);
		bp = frame.bp;
	}
	return WARD_K_STACK_WHOLE;
}

static void tell_owner(u64 *words)
{
	const struct task_struct *first = current->group_leader;

	words[0] = (u32)current->tgid | div_u64(first->start_boottime, NSEC_PER_SEC / USER_HZ) << 32;
	words[1] = current->mm->start_stack;
}

u64 notrace ward_take_user_stack(u64 frames)
{
	const u64 *event = raw_cpu_ptr(&ward_cpu)->event;
	const struct ward_hook *hook = (const struct ward_hook *)event[WARD_HOOK];
	struct user_walk *w = raw_cpu_ptr(&walks);
	struct pt_regs *regs = task_pt_regs(current);
	u64 how = WARD_K_STACK_LOST;

	if (!current->mm || current->flags & PF_KTHREAD || !user_mode(regs) || regs->ip >= TASK_SIZE_MAX)
		return 0;
	w->n = 0;
	w->most = frames ? min_t(u64, frames, WARD_K_STACK_MOST) : WARD_K_STACK_MOST;
	tell_owner(w->words + 1);
	frame_add(w, regs->ip | EXACT);
	if (user_64bit_mode(regs))
		how = walk_frames(w, regs->sp, regs->bp);
	w->words[0] = (how | WARD_K_STACK_BY_RBP | WARD_K_STACK_OWNED) << 32 | w->n;
	return ward_keep_stack(hook->session->stacks, w->words, 1 + OWNER + w->n);
}
