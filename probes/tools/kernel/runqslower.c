/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which tasks wait longer than a time for a processor once they could run, and after whom do they get it?
 *
 *	ward trace --kernel --records probes/tools/kernel/runqslower.c
 *	ward trace --kernel --records --set longer=3000000 probes/tools/kernel/runqslower.c
 *
 * The time is in counts of the time stamp counter (default: 30 million, about ten milliseconds).
 */
#include <ward/kernel.h>
#include <ward/probe.h>

const volatile unsigned long longer = 30000000;

struct slow {
	unsigned long time;
	ward_elapsed waited;
	int tid, after_tid;
	char program[16], after[16];
};

struct ward_state {
	ward_count all;
	WARD_RING(struct slow, 256) slow;
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
	const struct task_struct *prev = WARD_ARG(struct task_struct *, 1), *next = WARD_ARG(struct task_struct *, 2);
	struct slow s = {.time = ev->time};
	unsigned long since;

	s.after_tid = WARD_GET(prev, pid);
	if ((unsigned int)ev->arg[3] == 0 && s.after_tid != 0) /* it could go on */
		ward_shared_map_put(&ward_shared.waiting, (const void *)prev, ev->time);
	if (!ward_shared_map_pop(&ward_shared.waiting, (const void *)next, &since))
		return;
	st->all++;
	s.waited = ev->time - since;
	if (s.waited < longer)
		return;
	s.tid = WARD_GET(next, pid);
	ward_kernel_read_str(s.program, sizeof(s.program), WARD_AT(next, comm));
	ward_kernel_read_str(s.after, sizeof(s.after), WARD_AT(prev, comm));
	ward_ring_push(&st->slow, s);
}
