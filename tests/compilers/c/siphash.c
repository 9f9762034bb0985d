/* tight: four rounds over local variables */
#include "event.h"

struct state {
	u64 v[4];
};
static u64 rol(u64 x, int n)
{
	return x << n | x >> (64 - n);
}

void siphash(const struct event *ev, struct state *st)
{
	u64 a = st->v[0], b = st->v[1], c = st->v[2], d = st->v[3] ^ ev->arg[0];
	for (int i = 0; i < 4; i++) {
		a += b;
		b = rol(b, 13) ^ a;
		a = rol(a, 32);
		c += d;
		d = rol(d, 16) ^ c;
		a += d;
		d = rol(d, 21) ^ a;
		c += b;
		b = rol(b, 17) ^ c;
		c = rol(c, 32);
	}
	st->v[0] = a ^ ev->arg[0];
	st->v[1] = b;
	st->v[2] = c;
	st->v[3] = d;
}
