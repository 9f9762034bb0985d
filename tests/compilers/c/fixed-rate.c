/* a rate per second of a counter that may have wrapped */
#include "event.h"

struct state {
	u64 last, then, rate;
};

void fixed_rate(const struct event *ev, struct state *st)
{
	u64 now = ev->arg[0], elapsed = now - st->then, count = ev->arg[1] - st->last;

	if (elapsed == 0)
		return;
	st->rate = count * 1000 / elapsed;
	st->then = now;
	st->last = ev->arg[1];
}
