/* SPDX-License-Identifier: Apache-2.0 */
/* A record of 32 bytes for each call, with its time, in a ring with room for those of two million calls. */
#include <ward/probe.h>

struct call {
	uint64_t time, argument, second, caller;
};

struct ward_state {
	WARD_RING(struct call, 1 << 21) calls;
};

WARD_ENTRY()
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	ward_ring_push(&st->calls,
		((struct call){.time = ev->time, .argument = ev->arg[0], .second = ev->arg[1], .caller = ev->caller}));
}
