/* tight: i < n, n clamped before, 32 bits */
#include "event.h"

struct state {
	u32 sum;
	u32 t[100];
};

void clamped_length(const struct event *ev, struct state *st)
{
	u32 n = (u32)ev->arg[1], s = 0;
	n = n < 100 ? n : 100;
	for (u32 i = 0; i < n; i++)
		s += st->t[i];
	st->sum = s;
}
