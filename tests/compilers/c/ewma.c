/* averages by signed shifts */
#include "event.h"

struct state {
	s64 mean, dev;
};

void ewma(const struct event *ev, struct state *st)
{
	s64 d = (s64)ev->elapsed[0] - (st->mean >> 3);
	st->mean += d;
	st->dev += ((d < 0 ? -d : d) - (st->dev >> 2));
}
