/* a word in decimal, from the end */
#include "event.h"

struct state {
	u32 n;
	char out[20];
};

void decimal(const struct event *ev, struct state *st)
{
	u64 v = ev->arg[0];
	u32 i = 20;
	do {
		st->out[--i] = (char)('0' + v % 10);
		v /= 10;
	} while (v && i > 0);
	st->n = 20 - i;
}
