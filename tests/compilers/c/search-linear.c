/* the first that matches, and out */
#include "event.h"

struct state {
	u64 found, key[48];
};

void search_linear(const struct event *ev, struct state *st)
{
	for (u32 i = 0; i < 48; i++)
		if (st->key[i] == ev->arg[0]) {
			st->found = i;
			return;
		}
	st->found = 48;
}
