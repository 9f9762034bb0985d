/* tight: a signed length, clamped at both ends */
#include "event.h"

struct state {
	s32 sum;
	s32 t[40];
};

void signed_clamp(const struct event *ev, struct state *st)
{
	s32 n = (s32)ev->arg[1], s = 0;
	if (n < 0)
		n = 0;
	if (n > 40)
		n = 40;
	for (s32 i = 0; i < n; i++)
		s -= st->t[i];
	st->sum = s;
}
