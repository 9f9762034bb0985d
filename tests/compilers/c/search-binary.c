/* halves, with a trip counter */
#include "event.h"

struct state {
	u32 at;
	u64 key[64];
};

void search_binary(const struct event *ev, struct state *st)
{
	u32 lo = 0, hi = 64;
	for (int i = 0; i < 7 && lo < hi; i++) {
		u32 mid = lo + (hi - lo) / 2;
		if (st->key[mid] < ev->arg[0])
			lo = mid + 1;
		else
			hi = mid;
	}
	st->at = lo;
}
