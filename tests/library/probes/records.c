/* SPDX-License-Identifier: Apache-2.0 */
/* Rings and flight recorders: a record of the event; arg[3] triggers. */
#include <ward/probe.h>

struct record {
	unsigned long time;
	unsigned int size;
	short level;
	char name[10];
};

struct untimed {
	long value;
};

struct ward_state {
	WARD_RING(struct record, 64) last;
	WARD_RING(struct untimed, 1) one;
	WARD_FLIGHT(struct record, 16, 3) flight;
};

WARD_ENTRY("target!work")
void on_record(const struct ward_event *ev, struct ward_state *st)
{
	struct record r = {
		.time = ev->arg[0], .size = (unsigned)ev->arg[1], .level = (short)ev->arg[2], .name = "record"};

	r.name[6] = (char)('0' + ev->arg[0] % 10);
	ward_ring_push(&st->last, r);
	ward_ring_push(&st->one, ((struct untimed){(long)ev->arg[2]}));
	ward_flight_push(&st->flight, r);
	if (ev->arg[3] == 1)
		ward_flight_trigger(&st->flight);
}
