/* appends a string to another, as far as there is room */
#include "event.h"

struct state {
	char to[64], from[32];
};

void string_append(const struct event *ev, struct state *st)
{
	u32 at = 0;

	(void)ev;
	while (at < 63 && st->to[at])
		at++;
	for (u32 i = 0; i < 32 && at < 63 && st->from[i]; i++)
		st->to[at++] = st->from[i];
	st->to[at] = 0;
}
