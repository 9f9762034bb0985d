/* a switch whose cases have nothing in common, so that it becomes a jump table */
#include "event.h"

struct state {
	u64 total, seen[8], last;
	u32 errors;
	u8 kind;
};

void switch_dense(const struct event *ev, struct state *st)
{
	u64 x = ev->arg[1];

	switch (ev->arg[0] - 100) {
	case 0: st->total += x; break;
	case 1: st->total -= x; st->last = x; break;
	case 2: st->seen[x & 7]++; break;
	case 3: st->last = st->total ^ x; break;
	case 4: st->kind = (u8)x; st->errors++; break;
	case 5: st->seen[3] = st->seen[4] + x; break;
	case 6: st->total = x << (st->kind & 31); break;
	case 7: st->errors = 0; break;
	case 9: st->seen[x % 5] = st->last; break;
	default: st->errors += 2; break;
	}
}
