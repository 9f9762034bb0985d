/* tight: an array of longs, upwards */
#include "event.h"

struct state {
	u64 sum, t[64];
};

void sum_up(const struct event *ev, struct state *st)
{
	(void)ev;
	u64 s = 0;
	for (int i = 0; i < 64; i++)
		s += st->t[i];
	st->sum = s;
}
