/* SPDX-License-Identifier: Apache-2.0 */
/* A record of 32 bytes for each call, without its time, in a ring. */
#include <ward/probe.h>

struct call {
	uint64_t argument, second, third, caller;
};

struct ward_state {
	WARD_RING(struct call, 4096) calls;
};

WARD_ENTRY()
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	ward_ring_push(&st->calls,
		((struct call){
			.argument = ev->arg[0], .second = ev->arg[1], .third = ev->arg[2], .caller = ev->caller}));
}
