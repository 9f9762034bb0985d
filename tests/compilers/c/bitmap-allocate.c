/* takes the first free bit of a bitmap */
#include "event.h"

struct state {
	u64 taken;
	u64 map[8];
};

void bitmap_allocate(const struct event *ev, struct state *st)
{
	(void)ev;
	for (u32 w = 0; w < 8; w++) {
		u64 empty = ~st->map[w];

		if (empty) {
			u32 bit = (u32)__builtin_ctzl(empty);

			st->map[w] |= 1ul << bit;
			st->taken = w * 64 + bit;
			return;
		}
	}
	st->taken = ~0ul;
}
