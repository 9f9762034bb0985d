/* a helper that is given a pointer into the state */
#include "event.h"

struct state {
	u64 n;
	u32 a[8], b[8];
};
__attribute__((noinline)) static u32 sum(const u32 *p)
{
	u32 s = 0;
	for (int i = 0; i < 8; i++)
		s += p[i];
	return s;
}

void call_pointer(const struct event *ev, struct state *st)
{
	(void)ev;
	st->n += sum(st->a) ^ sum(st->b);
}
