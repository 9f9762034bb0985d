/*
 * Which calls of a function took longest, and what were they asked to do?
 *
 *	ward trace -p PID -d 10 -D THRESHOLD=10000000 -f 'libc.so.6!read' probes/slow.c
 *
 * The last calls that took THRESHOLD or more counts of the time stamp counter (a million, if it isn't given), with their first three arguments and what they returned. (A
 * call that ends by calling another function has returned nothing yet then: its caller is 0.)
 */
#include <ward/probe.h>

#ifndef THRESHOLD
#define THRESHOLD 1000000
#endif

struct begun {
	unsigned long time, arg[3];
};

struct slow {
	unsigned long time, cycles;
	void *arg0, *arg1, *arg2;
	long returned;
	void *caller;
};

struct ward_state {
	WARD_CALLS(struct begun, 64) calls;
	ward_count all, slow;
	WARD_RING(struct slow, 256) last;
};

WARD_ENTRY(":entry")
void on_entry(const struct ward_event *ev, struct ward_state *st)
{
	ward_calls_enter(&st->calls, ev->sp, ((struct begun){ev->time, {ev->arg[0], ev->arg[1], ev->arg[2]}}));
}

WARD_ENTRY(":return")
void on_return(const struct ward_event *ev, struct ward_state *st)
{
	struct begun b;

	if (!ward_calls_leave(&st->calls, ev->sp, &b))
		return;
	st->all++;
	if (ev->time - b.time < THRESHOLD)
		return;
	st->slow++;
	ward_ring_push(&st->last, ((struct slow){b.time, ev->time - b.time, (void *)b.arg[0], (void *)b.arg[1], (void *)b.arg[2],
					  (long)ev->ret, (void *)ev->caller}));
}
