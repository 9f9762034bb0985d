/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What do the threads of a process wait for, and how long?
 *
 *	ward trace -p PID -d 10 probes/tools/offcputime.c
 *	ward trace -p PID -d 10 --export flame:waits.html probes/tools/offcputime.c
 *	ward trace -p PID -d 10 -f off-cpu:10ms probes/tools/offcputime.c
 *
 * By stack: how long threads were off the processors in all, and how often. The stack is where a thread left its
 * processor, whether it waited for something or had to make room for another thread. Those that are still waiting at
 * the end aren't in it. With a longer time only longer waits are.
 */
#include <ward/imports.h>
#include <ward/probe.h>

struct waits {
	ward_elapsed time;
	ward_count times;
};

struct ward_state {
	ward_log2_elapsed waits;
	WARD_MAP(ward_stack, struct waits, 16384) by_stack;
};

WARD_ENTRY("off-cpu:1us")
void on_return(const struct ward_event *ev, struct ward_state *st)
{
	struct waits *w = ward_map_at(&st->by_stack, ward_stack_take(WARD_FRAMES));

	ward_log2_add(&st->waits, ev->elapsed);
	w->time += ev->elapsed;
	w->times++;
}
