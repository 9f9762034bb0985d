/* at most 60 steps */
#include "event.h"

struct state {
	u32 steps[61];
};

void collatz(const struct event *ev, struct state *st)
{
	u32 x = (u32)ev->arg[0], n = 0;
	while (x > 1 && n < 60) {
		x = x & 1 ? 3 * x + 1 : x / 2;
		n++;
	}
	st->steps[n]++;
}
