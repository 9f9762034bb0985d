/* a helper that is not inlined */
#include "event.h"

struct state {
	u64 n, t[32];
};
__attribute__((noinline)) static u64 mixed(u64 x)
{
	x ^= x >> 29;
	return x * 0xbf58476d1ce4e5b9 ^ x >> 7;
}

void call_helper(const struct event *ev, struct state *st)
{
	st->t[mixed(ev->arg[0]) & 31] += mixed(ev->arg[1]);
	st->n++;
}
