/* compares two strings, at most a given number of characters */
#include "event.h"

struct state {
	s32 order;
	char a[48], b[48];
};

void string_compare_bounded(const struct event *ev, struct state *st)
{
	u64 n = ev->arg[0] < 48 ? ev->arg[0] : 48;

	st->order = 0;
	for (u64 i = 0; i < n; i++) {
		if (st->a[i] != st->b[i]) {
			st->order = (u8)st->a[i] < (u8)st->b[i] ? -1 : 1;
			return;
		}
		if (!st->a[i])
			return;
	}
}
