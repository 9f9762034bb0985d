/* a table of tables */
#include "event.h"

struct state {
	u8 page[16];
	u32 entry[8][64];
};

void two_level(const struct event *ev, struct state *st)
{
	u64 a = ev->arg[0];
	st->entry[st->page[a >> 6 & 15] & 7][a & 63]++;
}
