/* bit tricks without a loop */
#include "event.h"

struct state {
	u64 n[65], even;
};

void bits_swar(const struct event *ev, struct state *st)
{
	u64 v = ev->arg[0];
	v -= v >> 1 & 0x5555555555555555;
	v = (v & 0x3333333333333333) + (v >> 2 & 0x3333333333333333);
	v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0f;
	u64 n = v * 0x0101010101010101 >> 56 & 127;
	if (n <= 64)
		st->n[n]++;
	st->even += !(n & 1);
}
