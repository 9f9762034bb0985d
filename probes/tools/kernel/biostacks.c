/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why are disks asked, and how long do they take: in which stacks of the kernel do requests begin?
 *
 *	ward trace --kernel -d 10 probes/tools/kernel/biostacks.c
 *
 * A request is given on one processor and done on another. Its time counts from when the disk gets it.
 */
#include <ward/kernel.h>
#include <ward/probe.h>

struct begun {
	unsigned long time;
	ward_stack stack;
};

struct ward_state {
	ward_count missed;
	WARD_MAP(ward_stack, ward_stat_elapsed, 4096) took;
};

WARD_SHARED(WARD_SHARED_MAP(const void *, struct begun, 4096) begun;);

WARD_ENTRY("kernel:block:block_rq_issue")
void on_issue(const struct ward_event *ev, struct ward_state *st)
{
	struct begun b = {.time = ev->time, .stack = ward_stack_take(WARD_FRAMES)};

	(void)st;
	ward_shared_map_put(&ward_shared.begun, (const void *)ev->arg[0], b);
}

WARD_ENTRY("kernel:block:block_rq_complete")
void on_complete(const struct ward_event *ev, struct ward_state *st)
{
	struct begun b;

	if (ward_shared_map_pop(&ward_shared.begun, (const void *)ev->arg[0], &b))
		ward_stat_add(ward_map_at(&st->took, b.stack), ev->time - b.time);
	else
		st->missed++;
}
