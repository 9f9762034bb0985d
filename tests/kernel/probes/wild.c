/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Does in turn what it mustn't: writes and reads at random addresses, divides by zero, loops for ever, and keeps more
 * than there is room for.
 */
#include <ward/probe.h>

struct mark {
	unsigned long time;
};

struct ward_state {
	ward_count runs, writes, reads, follows, divisions, rounds, keys, marks, survived;
	WARD_MAP(unsigned long, ward_count, 16) by_time;
	WARD_RING(struct mark, 16) ring;
	WARD_PRIVATE(
		unsigned long turn, zero, table[8]; union {
			unsigned long number;
			unsigned long *pointer;
		} anywhere;);
};

static unsigned long chance(const struct ward_event *ev)
{
	return (ev->time ^ ev->arg[0]) * 0x9e3779b97f4a7c15;
}

WARD_ENTRY()
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	unsigned long x = chance(ev) | 1;

	st->runs++;
	switch (st->turn++ % 7) {
	case 0:
		st->writes++;
		st->table[x | 1ul << 40] = x;
		break;
	case 1:
		st->reads++;
		st->anywhere.number = ev->arg[0];
		st->zero = st->table[x | 1ul << 40];
		break;
	case 2:
		st->follows++;
		*st->anywhere.pointer = 0;
		break;
	case 3:
		st->divisions++;
		st->table[0] = x / st->zero;
		break;
	case 4:
		st->rounds++;
		WARD_BOUND(1000)
		while (x != st->zero)
			x = x * 5 + 2;
		break;
	case 5:
		st->keys++;
		ward_map_add(&st->by_time, ev->time, 1);
		return;
	default:
		st->marks++;
		ward_ring_push(&st->ring, ((struct mark){.time = ev->time}));
		return;
	}
	st->survived++;
}
