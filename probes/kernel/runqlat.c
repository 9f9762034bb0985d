/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long do tasks wait for a processor once they could run?
 *
 *	ward trace --kernel -d 10 probes/kernel/runqlat.c
 *
 * A task is woken on one processor and runs on another: since when it waits is shared. One that loses its processor
 * while it could go on waits from then on. Idle tasks (number 0) wait for nothing.
 */
#include <ward/kernel.h>
#include <ward/probe.h>

struct ward_state {
	ward_log2_elapsed waited;
};

WARD_SHARED(WARD_SHARED_MAP(const void *, unsigned long, 16384) waiting;);

WARD_ENTRY("kernel:sched:sched_wakeup")
void on_wakeup(const struct ward_event *ev, struct ward_state *st)
{
	(void)st;
	ward_shared_map_put(&ward_shared.waiting, (const void *)ev->arg[0], ev->time);
}

WARD_ENTRY("kernel:sched:sched_wakeup_new")
void on_new(const struct ward_event *ev, struct ward_state *st)
{
	(void)st;
	ward_shared_map_put(&ward_shared.waiting, (const void *)ev->arg[0], ev->time);
}

WARD_ENTRY("kernel:sched:sched_switch")
void on_switch(const struct ward_event *ev, struct ward_state *st)
{
	const struct task_struct *prev = WARD_ARG(struct task_struct *, 1);
	const void *next = (const void *)ev->arg[2];
	unsigned long since;

	if ((unsigned int)ev->arg[3] == 0 && WARD_GET(prev, pid) != 0) /* it could go on */
		ward_shared_map_put(&ward_shared.waiting, prev, ev->time);
	if (ward_shared_map_pop(&ward_shared.waiting, next, &since))
		ward_log2_add(&st->waited, ev->time - since);
}
