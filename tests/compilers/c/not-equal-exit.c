/* tight: counts up to a clamped argument with != */
#include "event.h"

struct state {
	u64 sum;
	u64 t[64];
};

void not_equal_exit(const struct event *ev, struct state *st)
{
	u64 n = ev->arg[2], s = 0;
	if (n > 64)
		n = 64;
	for (u64 i = 0; i != n; i++)
		s ^= st->t[i] >> (i & 7);
	st->sum = s;
}
