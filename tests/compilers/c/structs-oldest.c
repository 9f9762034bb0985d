/* tight: the record that was used longest ago is replaced */
#include "event.h"

struct state {
	struct {
		u64 key, used;
		u32 hits;
	} entry[16];
};

void structs_oldest(const struct event *ev, struct state *st)
{
	u32 oldest = 0;

	for (u32 i = 1; i < 16; i++) {
		if (st->entry[i].used < st->entry[oldest].used)
			oldest = i;
	}
	st->entry[oldest].key = ev->arg[0];
	st->entry[oldest].used = ev->arg[1];
	st->entry[oldest].hits = 1;
}
