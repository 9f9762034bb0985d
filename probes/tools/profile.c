/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where does a process spend its processor time?
 *
 *	ward trace -p PID -d 10 probes/tools/profile.c
 *	ward trace -p PID -d 10 --export flame:profile.html probes/tools/profile.c
 *	ward trace -p PID -d 10 -f cache-misses:10000 probes/tools/profile.c
 *
 * 99 times a second each thread that runs is sampled. By thread it is how many samples each has had; a sample is 10 ms.
 */
#include <ward/imports.h>
#include <ward/probe.h>

struct ward_state {
	ward_count samples;
	WARD_MAP(unsigned long, ward_count, 4096) by_thread;
	WARD_MAP(ward_stack, ward_count, 16384) by_stack;
};

WARD_ENTRY("profile:99")
void on_sample(const struct ward_event *ev, struct ward_state *st)
{
	st->samples++;
	ward_map_add(&st->by_thread, ev->tid, 1);
	ward_map_add(&st->by_stack, ward_stack_take(WARD_FRAMES), 1);
}
