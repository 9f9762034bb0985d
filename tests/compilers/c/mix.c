/* 32 and 64 bits mixed, no loop */
#include "event.h"

struct state {
	u32 t[1024];
};

void mix(const struct event *ev, struct state *st)
{
	u64 x = ev->arg[0];
	u32 y = (u32)ev->arg[1];
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccd;
	y += (u32)(x >> 32) * 5 + (s32)x / 8;
	x += (s64)(s32)y;
	st->t[(x ^ y) >> 7 & 1023] += y;
}
