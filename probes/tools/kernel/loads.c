/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How loaded is the machine? Each processor is asked ten times a second how many tasks run on it, or could.
 *
 *	ward trace --kernel -d 10 probes/tools/kernel/loads.c
 *
 * The means, added up over the processors, are the load of that time, as the kernel's own averages tell of the last 1,
 * 5 and 15 minutes (/proc/loadavg); these also count tasks that wait and can't be interrupted.
 */
#include <ward/kernel.h>
#include <ward/probe.h>

struct ward_state {
	ward_stat tasks;
	WARD_MAP(int, ward_stat, 1024) by_processor;
};

WARD_ENTRY("profile:10")
void on_sample(const struct ward_event *ev, struct ward_state *st)
{
	struct ward_current it;
	unsigned int ready;

	ward_kernel_current(&it, sizeof(it));
	ready = WARD_GET((const struct task_struct *)it.task, se.cfs_rq, rq, nr_running);
	ward_stat_add(&st->tasks, ready);
	ward_stat_add(ward_map_at(&st->by_processor, (int)ev->cpu), ready);
}
