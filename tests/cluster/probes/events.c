/* SPDX-License-Identifier: Apache-2.0 */
/* Each call as a record: when it was, with which argument, and its text. The order says of what. */
#include <ward/probe.h>

struct call {
	unsigned long time, argument;
	char text[8];
};

struct ward_state {
	ward_count calls;
	WARD_RING(struct call, 1024) last;
};

WARD_ENTRY()
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	struct call call = {.time = ev->time, .argument = ev->arg[0], .text = "work"};

	ward_ring_push(&st->last, call);
	st->calls++;
}
