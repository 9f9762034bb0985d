/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many tasks wait for each processor, beside the one that runs? Asked 99 times a second.
 *
 *	ward trace --kernel -d 10 probes/tools/kernel/runqlen.c
 */
#include <ward/kernel.h>
#include <ward/probe.h>

struct ward_state {
	WARD_LINEAR(0, 1, 64) waiting;
	WARD_MAP(int, ward_stat, 1024) by_processor;
};

WARD_ENTRY("profile:99")
void on_sample(const struct ward_event *ev, struct ward_state *st)
{
	struct ward_current it;
	const struct task_struct *task;
	unsigned int ready;

	ward_kernel_current(&it, sizeof(it));
	task = (const struct task_struct *)it.task;
	ready = WARD_GET(task, se.cfs_rq, rq, nr_running);
	ready -= ready && ev->tid; /* that runs */
	ward_linear_add(&st->waiting, ready);
	ward_stat_add(ward_map_at(&st->by_processor, (int)ev->cpu), ready);
}
