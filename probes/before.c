/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What did a thread do before a call that took long?
 *
 *	ward trace -p PID -D SLOW=10000000 -f 'server!handle_*' probes/before.c
 *
 * A flight recorder of calls. Each thread keeps its last 32 calls of all functions that the pattern names. When a
 * call takes SLOW or more counts of the time stamp counter (default: ten million), those 32 are put aside, up to
 * eight times. The slow call is the last of them. The probe also counts how many calls were slow, and how often there
 * was no more room.
 */
#include <ward/probe.h>

#ifndef SLOW
#define SLOW 10000000
#endif

struct call {
	unsigned long time;
	ward_elapsed took;
	ward_site site;
	void *arg0, *arg1;
	long returned;
};

struct ward_state {
	ward_count calls, slow;
	WARD_FLIGHT(struct call, 32, 8) before;
};

WARD_ENTRY(":return")
void on_return(const struct ward_event *ev, struct ward_state *st)
{
	struct call call = {ev->time, ev->elapsed, (ward_site)ev->site, (void *)ev->arg[0], (void *)ev->arg[1],
		!ev->caller     ? 0
		: ev->ret >> 32 ? (long)ev->ret
				: (int)ev->ret};

	st->calls++;
	ward_flight_push(&st->before, call);
	if (ev->elapsed >= SLOW) {
		st->slow++;
		ward_flight_trigger(&st->before);
	}
}
