/* tight: a pointer up to its end */
#include "event.h"

struct state {
	u64 sum;
	u32 t[50];
};

void pointer_walk(const struct event *ev, struct state *st)
{
	(void)ev;
	u64 s = 1;
	for (const u32 *p = st->t, *end = st->t + 50; p != end; p++)
		s = s * 31 + *p;
	st->sum = s;
}
