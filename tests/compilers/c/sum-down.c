/* tight: an array of longs, downwards */
#include "event.h"

struct state {
	u64 sum, t[64];
};

void sum_down(const struct event *ev, struct state *st)
{
	(void)ev;
	u64 s = 0;
	for (int i = 63; i >= 0; i--)
		s = s * 3 + st->t[i];
	st->sum = s;
}
