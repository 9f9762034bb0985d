/* additions that saturate, by the carry */
#include "event.h"

struct state {
	u64 a;
	u32 b;
	u8 c;
};

void saturate(const struct event *ev, struct state *st)
{
	if (__builtin_add_overflow(st->a, ev->arg[0], &st->a))
		st->a = ~0UL;
	u32 s = st->b + (u32)ev->arg[1];
	st->b = s < st->b ? ~0u : s;
	st->c += st->c < 255;
}
