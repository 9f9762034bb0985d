/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often is a function called, and by which threads?
 *
 *	ward trace -p PID -f 'libc.so.6!pthread_mutex_lock' probes/calls.c
 */
#include <ward/probe.h>

struct ward_state {
	ward_count calls;
	WARD_MAP(int, ward_count, 64) by_thread;
};

WARD_ENTRY()
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	st->calls++;
	ward_map_add(&st->by_thread, (int)ev->tid, 1);
}
