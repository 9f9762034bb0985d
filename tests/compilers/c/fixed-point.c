/* an exponential average in 16.16 and the variance around it */
#include "event.h"

struct state {
	s64 mean, variance;
	u64 outliers;
};

void fixed_point(const struct event *ev, struct state *st)
{
	s64 x = (s64)(ev->arg[0] & 0xffffffff) << 16, d = x - st->mean;

	st->mean += d >> 4;
	st->variance += (((d >> 16) * (d >> 16)) - st->variance) >> 4;
	if ((d >> 16) * (d >> 16) > 9 * st->variance)
		st->outliers++;
}
