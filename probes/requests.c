/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long does each request take on its way through a program, and in how many steps?
 *
 *	ward trace -p PID -d 10 -f 'server!request_*' probes/requests.c
 *
 * As in Magpie's studies: several functions take the same key as their first argument, in whatever thread. A key is a
 * request's number, or the address of what describes it. All events of one key are one request. The probe shows how
 * many steps a request took, and when its first and last step were, in counts of the time stamp counter. It keeps
 * about the last 1024 keys.
 */
#include <ward/probe.h>

struct request {
	ward_count steps;
	ward_min first;
	ward_max last;
};

struct ward_state {
	WARD_RECENT(unsigned long, struct request, 1024) by_key;
};

WARD_ENTRY("")
void on_step(const struct ward_event *ev, struct ward_state *st)
{
	struct request *r = ward_recent_at(&st->by_key, ev->arg[0]);

	r->steps++;
	ward_min_add(&r->first, ev->time);
	ward_max_add(&r->last, ev->time);
}
