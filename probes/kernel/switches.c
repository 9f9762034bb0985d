/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which programs do the processors run, how often and for how long?
 *
 *	ward trace --kernel -d 10 probes/kernel/switches.c
 *
 * Times are counts of the time stamp counter. An idle processor runs the program swapper/N.
 */
#include <ward/kernel.h>
#include <ward/probe.h>

struct program {
	char name[16];
};

struct ward_state {
	WARD_MAP(struct program, ward_stat, 512) runs;
	WARD_PRIVATE(unsigned long since;);
};

WARD_ENTRY("kernel:sched:sched_switch")
void on_switch(const struct ward_event *ev, struct ward_state *st)
{
	const struct task_struct *prev = WARD_ARG(struct task_struct *, 1);
	struct program program;

	ward_kernel_read_str(program.name, sizeof(program.name), WARD_AT(prev, comm));
	if (st->since)
		ward_stat_add(ward_map_at(&st->runs, program), ev->time - st->since);
	st->since = ev->time;
}
