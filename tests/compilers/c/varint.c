/* LEB128 of at most ten bytes */
#include "event.h"

struct state {
	u64 value;
	u8 in[10];
};

void varint(const struct event *ev, struct state *st)
{
	(void)ev;
	u64 v = 0;
	for (u32 i = 0; i < 10; i++) {
		v |= (u64)(st->in[i] & 127) << (7 * i & 63);
		if (!(st->in[i] & 128))
			break;
	}
	st->value = v;
}
