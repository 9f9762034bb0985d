/* binary search for the first that is not less, to the end */
#include "event.h"

struct state {
	u32 n, at;
	u64 key[128];
};

void search_range(const struct event *ev, struct state *st)
{
	u32 lo = 0, hi = st->n < 128 ? st->n : 128, tries = 8;

	while (lo < hi && tries--) {
		u32 middle = lo + (hi - lo) / 2;

		if (st->key[middle] < ev->arg[0])
			lo = middle + 1;
		else
			hi = middle;
	}
	st->at = lo;
}
