/* log2 histogram of an argument */
#include "event.h"

struct state {
	u64 bucket[65];
};

void log2(const struct event *ev, struct state *st)
{
	u64 v = ev->arg[2];
	st->bucket[v ? 64 - __builtin_clzl(v) : 0]++;
}
