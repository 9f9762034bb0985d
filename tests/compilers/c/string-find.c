/* the last slash of a path */
#include "event.h"

struct state {
	u32 at;
	char s[80];
};

void string_find(const struct event *ev, struct state *st)
{
	(void)ev;
	u32 at = 80;
	for (u32 i = 0; i < 80 && st->s[i]; i++)
		if (st->s[i] == '/')
			at = i;
	st->at = at;
}
