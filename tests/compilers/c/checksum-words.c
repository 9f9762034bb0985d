/* sums words of four bytes and what is left of them */
#include "event.h"

struct state {
	u32 sum;
	u8 data[96];
};

void checksum_words(const struct event *ev, struct state *st)
{
	u32 n = ev->arg[0] < 96 ? (u32)ev->arg[0] : 96, sum = 0, i = 0;

	for (; i + 4 <= n; i += 4)
		sum += (u32)st->data[i] | (u32)st->data[i + 1] << 8 | (u32)st->data[i + 2] << 16 | (u32)st->data[i + 3] << 24;
	for (; i < n; i++)
		sum += st->data[i];
	st->sum = sum;
}
