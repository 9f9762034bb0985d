/* walks records that say how long they are */
#include "event.h"

struct state {
	u32 n, bytes;
	u8 data[256];
};

void records_of_varying_length(const struct event *ev, struct state *st)
{
	u32 at = 0, n = 0, bytes = 0;

	(void)ev;
	while (at < 240) {
		u32 length = st->data[at] & 15;

		bytes += st->data[at + length];
		at += length + 1;
		n++;
	}
	st->n = n;
	st->bytes = bytes;
}
