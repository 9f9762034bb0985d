/* counts in an array on the stack */
#include "event.h"

struct state {
	u8 in[32];
	u32 best;
};

void local_array(const struct event *ev, struct state *st)
{
	(void)ev;
	u8 n[16] = {0};
	u32 best = 0;
	for (int i = 0; i < 32; i++)
		n[st->in[i] & 15]++;
	for (u32 i = 1; i < 16; i++)
		if (n[i] > n[best])
			best = i;
	st->best = best;
}
