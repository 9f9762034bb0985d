/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which calls of a function took longest, and what were their arguments?
 *
 *	ward trace -p PID -d 10 -D THRESHOLD=10000000 -f 'libc.so.6!read' probes/slow.c
 *
 * The probe keeps the last calls that took THRESHOLD or more counts of the time stamp counter (default: a million),
 * with their first three arguments and the return value, which is shown as an int of 32 bits. A call that ends by a
 * tail call has returned nothing yet at that point, and its caller is 0.
 */
#include <ward/probe.h>

#ifndef THRESHOLD
#define THRESHOLD 1000000
#endif

struct slow {
	unsigned long time;
	ward_elapsed took;
	void *arg0, *arg1, *arg2;
	long returned;
	void *caller;
};

struct ward_state {
	ward_count all, slow;
	WARD_RING(struct slow, 256) last;
};

WARD_ENTRY(":return")
void on_return(const struct ward_event *ev, struct ward_state *st)
{
	st->all++;
	if (ev->elapsed < THRESHOLD)
		return;
	st->slow++;
	ward_ring_push(&st->last,
		((struct slow){ev->time, ev->elapsed, (void *)ev->arg[0], (void *)ev->arg[1], (void *)ev->arg[2],
			ev->ret >> 32 ? (long)ev->ret : (int)ev->ret, (void *)ev->caller}));
}
