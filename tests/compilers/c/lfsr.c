/* tight: 32 steps of a shift register */
#include "event.h"

struct state {
	u32 x;
};

void lfsr(const struct event *ev, struct state *st)
{
	(void)ev;
	u32 x = st->x | 1;
	for (int i = 0; i < 32; i++)
		x = x >> 1 ^ (x & 1 ? 0x80200003u : 0);
	st->x = x;
}
