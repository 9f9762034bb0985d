/* the last component of a path */
#include "event.h"

struct state {
	u32 start, length;
	char path[128];
};

void path_base(const struct event *ev, struct state *st)
{
	u32 i, start = 0;

	(void)ev;
	for (i = 0; i < 128 && st->path[i]; i++) {
		if (st->path[i] == '/')
			start = i + 1;
	}
	st->start = start;
	st->length = i - start;
}
