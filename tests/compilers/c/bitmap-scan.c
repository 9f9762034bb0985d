/* visits the bits that are set in a bitmap */
#include "event.h"

struct state {
	u64 map[4], seen[256];
};

void bitmap_scan(const struct event *ev, struct state *st)
{
	(void)ev;
	for (u32 w = 0; w < 4; w++) {
		for (u64 bits = st->map[w]; bits; bits &= bits - 1)
			st->seen[w * 64 + (u32)__builtin_ctzl(bits)]++;
	}
}
