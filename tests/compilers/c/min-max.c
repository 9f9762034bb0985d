/* tight: least and greatest of signed values */
#include "event.h"

struct state {
	s32 least, most, t[48];
};

void min_max(const struct event *ev, struct state *st)
{
	(void)ev;
	s32 lo = st->t[0], hi = lo;
	for (int i = 1; i < 48; i++) {
		s32 v = st->t[i];
		lo = v < lo ? v : lo;
		hi = v > hi ? v : hi;
	}
	st->least = lo;
	st->most = hi;
}
