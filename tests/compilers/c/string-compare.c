/* two strings of at most 32 bytes */
#include "event.h"

struct state {
	s32 order;
	char a[32], b[32];
};

void string_compare(const struct event *ev, struct state *st)
{
	(void)ev;
	u32 i = 0;
	while (i < 31 && st->a[i] && st->a[i] == st->b[i])
		i++;
	st->order = (u8)st->a[i] - (u8)st->b[i];
}
