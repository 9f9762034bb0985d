/* tight: the bits of a word in reverse */
#include "event.h"

struct state {
	u64 out;
};

void bits_reverse(const struct event *ev, struct state *st)
{
	u64 v = ev->arg[0], r = 0;
	for (int i = 0; i < 64; i++) {
		r = r << 1 | (v & 1);
		v >>= 1;
	}
	st->out = r;
}
