/* insertion sort of eight, with an index that goes down */
#include "event.h"

struct state {
	u32 t[8];
};

void sort_insertion(const struct event *ev, struct state *st)
{
	(void)ev;
	for (u32 i = 1; i < 8; i++) {
		u32 v = st->t[i], j = i;
		for (; j > 0 && st->t[j - 1] > v; j--)
			st->t[j] = st->t[j - 1];
		st->t[j] = v;
	}
}
