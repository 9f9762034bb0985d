/* copies up to the end of the string or of the buffer */
#include "event.h"

struct state {
	char from[32], to[32];
};

void string_copy(const struct event *ev, struct state *st)
{
	(void)ev;
	u32 i;
	for (i = 0; i < 31 && st->from[i]; i++)
		st->to[i] = st->from[i];
	st->to[i] = 0;
}
