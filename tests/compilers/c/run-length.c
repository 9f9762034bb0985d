/* tight: the runs of equal bytes */
#include "event.h"

struct state {
	u32 n;
	u8 in[32];
	u8 len[32];
};

void run_length(const struct event *ev, struct state *st)
{
	(void)ev;
	u32 n = 0;
	st->len[0] = 1;
	for (u32 i = 1; i < 32; i++) {
		if (st->in[i] != st->in[i - 1])
			n++;
		st->len[n & 31]++;
	}
	st->n = n;
}
