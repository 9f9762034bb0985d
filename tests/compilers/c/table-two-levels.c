/* a page table of two levels, with indices in the upper one */
#include "event.h"

struct state {
	u64 missing;
	u8 upper[256];
	u64 lower[8][32];
};

void table_two_levels(const struct event *ev, struct state *st)
{
	u32 page = st->upper[ev->arg[0] >> 5 & 255];

	if (page >= 8) {
		st->missing++;
		return;
	}
	st->lower[page][ev->arg[0] & 31] += ev->arg[1];
}
