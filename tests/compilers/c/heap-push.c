/* puts a value onto a heap and lets it rise */
#include "event.h"

struct state {
	u32 n;
	u64 heap[64];
};

void heap_push(const struct event *ev, struct state *st)
{
	u32 i = st->n;

	if (i >= 64)
		return;
	st->n = i + 1;
	st->heap[i] = ev->arg[0];
	while (i > 0) {
		u32 parent = (i - 1) / 2;
		u64 t = st->heap[i];

		if (st->heap[parent] <= t)
			break;
		st->heap[i] = st->heap[parent];
		st->heap[parent] = t;
		i = parent;
	}
}
