/* count-min sketch, four rows */
#include "event.h"

struct state {
	u32 row[4][256];
};

void count_min(const struct event *ev, struct state *st)
{
	u64 x = ev->arg[1];
	for (int r = 0; r < 4; r++) {
		x *= 0xff51afd7ed558ccd;
		x ^= x >> 32;
		st->row[r][x & 255]++;
	}
}
