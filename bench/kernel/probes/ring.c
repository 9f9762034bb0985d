/* SPDX-License-Identifier: Apache-2.0 */
/* A record of each call. */
#include <ward/probe.h>

struct call {
	unsigned long time;
	int thread;
};

struct ward_state {
	WARD_RING(struct call, 1024) last;
};

WARD_ENTRY()
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	struct call call = {ev->time, (int)ev->tid};

	ward_ring_push(&st->last, call);
}
