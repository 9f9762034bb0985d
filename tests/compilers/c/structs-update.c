/* finds a record by its key in an array of structs and changes it */
#include "event.h"

struct state {
	u64 dropped;
	struct {
		u32 id, flags;
		u64 bytes, packets;
	} flow[32];
};

void structs_update(const struct event *ev, struct state *st)
{
	u32 id = (u32)ev->arg[0] | 1;

	for (u32 i = 0; i < 32; i++) {
		if (st->flow[i].id != id && st->flow[i].id != 0)
			continue;
		st->flow[i].id = id;
		st->flow[i].bytes += ev->arg[1];
		st->flow[i].packets++;
		return;
	}
	st->dropped++;
}
