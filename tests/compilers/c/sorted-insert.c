/* keeps the sixteen greatest, in order */
#include "event.h"

struct state {
	u32 n;
	u64 top[16];
};

void sorted_insert(const struct event *ev, struct state *st)
{
	u64 v = ev->arg[0];
	u32 n = st->n < 16 ? st->n : 16, at;

	if (n == 16 && st->top[15] >= v)
		return;
	if (n < 16)
		n++;
	for (at = n - 1; at > 0 && st->top[at - 1] < v; at--)
		st->top[at] = st->top[at - 1];
	st->top[at] = v;
	st->n = n;
}
