/* the number of bits set, one by one */
#include "event.h"

struct state {
	u64 n[65];
};

void bits_set(const struct event *ev, struct state *st)
{
	u64 v = ev->arg[0];
	u32 n = 0;
	for (; n < 64 && v; n++)
		v &= v - 1;
	st->n[n]++;
}
