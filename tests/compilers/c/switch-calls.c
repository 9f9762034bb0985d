/* cases that call, one of them the last thing that the function does */
#include "event.h"

struct state {
	u64 sum, hash, count[6];
};

static __attribute__((noinline)) u64 mix(u64 x, u64 y)
{
	x ^= y * 0x9e3779b97f4a7c15;
	return x ^ x >> 29;
}

static __attribute__((noinline)) void note(struct state *st, u64 x)
{
	st->sum += x;
	st->count[0]++;
}

void switch_calls(const struct event *ev, struct state *st)
{
	u64 x = ev->arg[1];

	switch (ev->arg[0] & 7) {
	case 0: st->hash = mix(st->hash, x); break;
	case 1: note(st, x); break;
	case 2: st->count[1] += mix(x, 3) & 1; break;
	case 3: note(st, mix(x, st->sum)); break;
	case 4: st->count[2]++; break;
	case 5: st->count[3] = x; st->hash++; break;
	case 6: note(st, 1); st->count[4]++; break;
	case 7: st->sum = mix(st->sum, st->hash); st->count[5] ^= x; break;
	}
}
