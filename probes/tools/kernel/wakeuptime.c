/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who wakes programs that wait, in which stacks, and how long have they waited by then?
 *
 *	ward trace --kernel -d 10 probes/tools/kernel/wakeuptime.c
 *
 * A line is a program that waited, the one that woke it, and the kernel's stack of that. One that an interrupt wakes is
 * woken in the name of whatever was interrupted; its stack says so.
 */
#include <ward/kernel.h>
#include <ward/probe.h>

struct wakeup {
	char program[16], by[16];
	ward_stack stack;
};

struct ward_state {
	WARD_MAP(struct wakeup, ward_elapsed, 8192) waited;
};

WARD_SHARED(WARD_SHARED_MAP(const void *, unsigned long, 16384) since;);

WARD_ENTRY("kernel:sched:sched_switch")
void on_switch(const struct ward_event *ev, struct ward_state *st)
{
	(void)st;
	if ((unsigned int)ev->arg[3] != 0) /* it goes to sleep, and isn't just another one's turn */
		ward_shared_map_put(&ward_shared.since, (const void *)ev->arg[1], ev->time);
}

WARD_ENTRY("kernel:sched:sched_waking")
void on_waking(const struct ward_event *ev, struct ward_state *st)
{
	const struct task_struct *task = WARD_ARG(struct task_struct *, 0);
	struct wakeup w = {0};
	struct ward_current it;
	unsigned long since;

	if (!ward_shared_map_pop(&ward_shared.since, (const void *)task, &since))
		return;
	ward_kernel_read_str(w.program, sizeof(w.program), WARD_AT(task, comm));
	ward_kernel_current(&it, sizeof(it));
	__builtin_memcpy(w.by, it.comm, sizeof(w.by));
	w.stack = ward_stack_take(WARD_FRAMES);
	ward_map_add(&st->waited, w, ev->time - since);
}
