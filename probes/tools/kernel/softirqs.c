/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long does the kernel's deferred work take, by its number?
 *
 *	ward trace --kernel -d 10 probes/tools/kernel/softirqs.c
 *
 * The numbers: 0 high tasklets, 1 timers, 2 sending, 3 receiving, 4 block, 5 polling, 6 tasklets, 7 scheduler, 8 high
 * timers, 9 RCU.
 */
#include <ward/kernel.h>
#include <ward/probe.h>

struct ward_state {
	WARD_PRIVATE(unsigned long began;);
	WARD_MAP(unsigned int, ward_stat_elapsed, 16) times;
};

WARD_ENTRY("kernel:irq:softirq_entry")
void on_entry(const struct ward_event *ev, struct ward_state *st)
{
	st->began = ev->time;
}

WARD_ENTRY("kernel:irq:softirq_exit")
void on_exit(const struct ward_event *ev, struct ward_state *st)
{
	if (!st->began)
		return;
	ward_stat_add(ward_map_at(&st->times, (unsigned int)ev->arg[0]), ev->time - st->began);
	st->began = 0;
}
