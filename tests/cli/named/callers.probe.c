/* SPDX-License-Identifier: Apache-2.0 */
/* How often each caller called malloc; and the last calls with their times. */
#include <ward/probe.h>

struct call {
	unsigned long time;
	void *by;
};

struct ward_state {
	ward_count calls;
	WARD_MAP(void *, ward_count, 4096) callers;
	WARD_RING(struct call, 64) last;
};

WARD_ENTRY("libc.so.6!malloc")
void on_malloc(const struct ward_event *ev, struct ward_state *st)
{
	st->calls++;
	ward_map_add(&st->callers, (void *)ev->caller, 1);
	ward_ring_push(&st->last, ((struct call){ev->time, (void *)ev->caller}));
}
