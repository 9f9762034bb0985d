/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What does a program do, by its own static tracepoints?
 *
 *	ward trace -p PID -f '*!:*:*' probes/points.c
 *	ward trace -f 'postgres!:postgresql:query__*' probes/points.c -- …
 *
 * Programs get tracepoints by ward/tracepoint.h, or by SystemTap's sys/sdt.h:
 *
 *	WARD_TRACEPOINT(shop, order, id, price);
 *
 * `ward list -p PID '*!:*:*'` lists them. ev->site says which tracepoint an event belongs to, by the number that
 * `ward trace` prints when it attaches. ev->caller is the tracepoint's address.
 */
#include <ward/probe.h>

struct event {
	uint64_t time;
	uint64_t site;
	int64_t arg0, arg1, arg2;
};

struct ward_state {
	ward_count all;
	WARD_MAP(void *, ward_count, 512) by_place;
	WARD_RING(struct event, 256) last;
};

WARD_ENTRY()
void on_point(const struct ward_event *ev, struct ward_state *st)
{
	struct event e = {ev->time, ev->site, (int64_t)ev->arg[0], (int64_t)ev->arg[1], (int64_t)ev->arg[2]};

	st->all++;
	ward_map_add(&st->by_place, (void *)ev->caller, 1);
	ward_ring_push(&st->last, e);
}
