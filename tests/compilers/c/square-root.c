/* tight: the integer root, bit by bit */
#include "event.h"

struct state {
	u32 root;
};

void square_root(const struct event *ev, struct state *st)
{
	u32 v = (u32)ev->arg[0], r = 0, b = 1u << 30;
	for (int i = 0; i < 16; i++, b >>= 2) {
		u32 t = r + b;
		r >>= 1;
		if (v >= t) {
			v -= t;
			r += b;
		}
	}
	st->root = r;
}
