/* HyperLogLog with 256 registers */
#include "event.h"

struct state {
	u8 reg[256];
};

void hyperloglog(const struct event *ev, struct state *st)
{
	u64 h = ev->arg[0] * 0xff51afd7ed558ccd;
	h ^= h >> 33;
	u8 rank = (u8)(__builtin_clzl(h << 8 | 1) + 1);
	u8 *r = &st->reg[h >> 56];
	if (rank > *r)
		*r = rank;
}
