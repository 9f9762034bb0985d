/* tight: an array is set to zero */
#include "event.h"

struct state {
	u64 n;
	u32 t[24];
};

void clear(const struct event *ev, struct state *st)
{
	(void)ev;
	for (int i = 0; i < 24; i++)
		st->t[i] = 0;
	st->n++;
}
