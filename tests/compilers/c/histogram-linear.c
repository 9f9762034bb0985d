/* a histogram with a first, a width and a last bucket */
#include "event.h"

struct state {
	u64 bucket[34];
};

void histogram_linear(const struct event *ev, struct state *st)
{
	u64 v = ev->arg[0], at;

	if (v < 1000)
		at = 0;
	else if (v >= 1000 + 32 * 50)
		at = 33;
	else
		at = (v - 1000) / 50 + 1;
	st->bucket[at]++;
}
