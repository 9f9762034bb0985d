/* tight: every third element */
#include "event.h"

struct state {
	u64 sum;
	u32 t[99];
};

void sum_strided(const struct event *ev, struct state *st)
{
	(void)ev;
	u32 s = 0;
	for (u32 i = 0; i < 99; i += 3)
		s ^= st->t[i] + i;
	st->sum = s;
}
