// SPDX-License-Identifier: GPL-2.0-only
/*
 * The running task's own stack, in its process: from where it has entered the kernel outwards. Where the tracer has
 * handed over how callers are found (unwind_tables.c), the walk goes by that (unwind.h). Elsewhere it goes by frame
 * pointers, and says so: code without these is not told from other code. There the walk takes what rbp leads to, as
 * long as it leads outwards, and a function that has no frame of its own hides its caller.
 *
 * All that is read is a copy that never faults. A page that isn't there ends the walk. The stack pointer and rbp are
 * whatever the process has left there. In an NMI nothing is read: it may come amid a change of process.
 *
 * Of addresses alone nobody knows whose they are. So a stack begins with whose it is: the process's number, when it was
 * started, and where its first stack begins, which is another place after it has executed another program. By that the
 * tables are found, too.
 */
#include <linux/hardirq.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <asm/ptrace.h>

#include "hook.h"
#include "user_walk.h"

enum { OWNER = 2 }; /* words */

struct user_walk {
	struct ward_places places;
	u64 words[1 + OWNER + WARD_K_STACK_MOST];
};

static DEFINE_PER_CPU(struct user_walk, walks);

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
	u32 most = frames ? min_t(u64, frames, WARD_K_STACK_MOST) : WARD_K_STACK_MOST, n = 1;
	struct ward_user_frame first = {.ip = regs->ip, .sp = regs->sp, .bp = regs->bp, .is_exact = true};
	u64 how = WARD_K_STACK_LOST;

	if (!current->mm || current->flags & PF_KTHREAD || !user_mode(regs) || regs->ip >= TASK_SIZE_MAX)
		return 0;
	tell_owner(w->words + 1);
	if (user_64bit_mode(regs) && !in_nmi()) {
		ward_find_places(hook->session, w->words + 1, &w->places);
		pagefault_disable();
		how = ward_walk_user(&w->places, first, w->words + 1 + OWNER, most, &n);
		pagefault_enable();
	} else {
		w->words[1 + OWNER] = first.ip | BIT_ULL(63);
	}
	w->words[0] = (how | WARD_K_STACK_OWNED) << 32 | n;
	return ward_keep_stack(hook->session->stacks, w->words, 1 + OWNER + n);
}
