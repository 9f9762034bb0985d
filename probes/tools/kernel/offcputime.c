/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where do programs wait, and how long: in which stacks of the kernel do they leave the processor?
 *
 *	ward trace --kernel -d 10 probes/tools/kernel/offcputime.c
 *	ward trace --kernel -d 10 --set pid=4711 --export flame:waits.html probes/tools/kernel/offcputime.c
 *
 * Time counts from when a task leaves its processor until it runs again, so what it waits for a processor is in it. One
 * that is still away at the end isn't there.
 */
#include <ward/kernel.h>
#include <ward/probe.h>

const volatile int pid = 0; /* of one process only */

struct away {
	unsigned long since;
	ward_stack stack;
};

struct where {
	char program[16];
	ward_stack stack;
};

struct ward_state {
	WARD_MAP(struct where, ward_elapsed, 8192) waited;
};

WARD_SHARED(WARD_SHARED_MAP(const void *, struct away, 16384) away;);

WARD_ENTRY("kernel:sched:sched_switch")
void on_switch(const struct ward_event *ev, struct ward_state *st)
{
	const struct task_struct *prev = WARD_ARG(struct task_struct *, 1), *next = WARD_ARG(struct task_struct *, 2);
	struct where where = {0};
	struct away a;

	if (WARD_GET(prev, pid) && (!pid || WARD_GET(prev, tgid) == pid)) {
		a.since = ev->time;
		a.stack = ward_stack_take(WARD_FRAMES);
		ward_shared_map_put(&ward_shared.away, (const void *)prev, a);
	}
	if (!ward_shared_map_pop(&ward_shared.away, (const void *)next, &a))
		return;
	ward_kernel_read_str(where.program, sizeof(where.program), WARD_AT(next, comm));
	where.stack = a.stack;
	ward_map_add(&st->waited, where, ev->time - a.since);
}
