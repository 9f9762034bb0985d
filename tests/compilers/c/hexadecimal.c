/* tight: a word as sixteen digits */
#include "event.h"

struct state {
	char out[16];
};

void hexadecimal(const struct event *ev, struct state *st)
{
	u64 v = ev->arg[0];
	for (int i = 15; i >= 0; i--, v >>= 4)
		st->out[i] = "0123456789abcdef"[v & 15];
}
