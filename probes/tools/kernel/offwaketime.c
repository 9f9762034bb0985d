/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where do programs wait, and who ends it: both stacks of the kernel, that of the one that waits and that of the one
 * that wakes it.
 *
 *	ward trace --kernel -d 10 probes/tools/kernel/offwaketime.c
 *
 * Time counts from when a task goes to sleep until it is woken. What it then waits for a processor is runqlat.c's.
 */
#include <ward/kernel.h>
#include <ward/probe.h>

struct away {
	unsigned long since;
	ward_stack stack;
};

struct wait {
	char program[16];
	ward_stack stack;
	char by[16];
	ward_stack waker;
};

struct ward_state {
	WARD_MAP(struct wait, ward_elapsed, 8192) waited;
};

WARD_SHARED(WARD_SHARED_MAP(const void *, struct away, 16384) away;);

WARD_ENTRY("kernel:sched:sched_switch")
void on_switch(const struct ward_event *ev, struct ward_state *st)
{
	struct away a;

	(void)st;
	if ((unsigned int)ev->arg[3] == 0) /* it could go on */
		return;
	a.since = ev->time;
	a.stack = ward_stack_take(WARD_FRAMES);
	ward_shared_map_put(&ward_shared.away, (const void *)ev->arg[1], a);
}

WARD_ENTRY("kernel:sched:sched_waking")
void on_waking(const struct ward_event *ev, struct ward_state *st)
{
	const struct task_struct *task = WARD_ARG(struct task_struct *, 0);
	struct wait w = {0};
	struct ward_current it;
	struct away a;

	if (!ward_shared_map_pop(&ward_shared.away, (const void *)task, &a))
		return;
	ward_kernel_read_str(w.program, sizeof(w.program), WARD_AT(task, comm));
	w.stack = a.stack;
	ward_kernel_current(&it, sizeof(it));
	__builtin_memcpy(w.by, it.comm, sizeof(w.by));
	w.waker = ward_stack_take(WARD_FRAMES);
	ward_map_add(&st->waited, w, ev->time - a.since);
}
