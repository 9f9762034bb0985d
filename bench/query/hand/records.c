/* SPDX-License-Identifier: Apache-2.0 */
#include <ward/probe.h>

struct row {
	unsigned long time, argument;
};

struct ward_state {
	WARD_RING(struct row, 16384) rows;
};

WARD_ENTRY("ward-bench-target!traced_push")
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	if ((ev->arg[0] & 1023) == 0)
		ward_ring_push(&st->rows, ((struct row){.time = ev->time, .argument = ev->arg[0]}));
}
