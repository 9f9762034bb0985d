/* open addressing, eight probes at most */
#include "event.h"

struct state {
	u64 lost;
	struct {
		u64 key, count;
	} slot[64];
};

void hash_map(const struct event *ev, struct state *st)
{
	u64 key = ev->arg[0] + 1;
	u32 h = (u32)(key * 0x9e3779b97f4a7c15 >> 58);
	for (u32 i = 0; i < 8; i++, h = (h + 1) & 63) {
		if (st->slot[h].key == key || st->slot[h].key == 0) {
			st->slot[h].key = key;
			st->slot[h].count++;
			return;
		}
	}
	st->lost++;
}
