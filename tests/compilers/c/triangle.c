/* an inner loop that depends on the outer */
#include "event.h"

struct state {
	u32 t[16][16];
	u64 sum;
};

void triangle(const struct event *ev, struct state *st)
{
	(void)ev;
	u64 s = 0;
	for (int i = 0; i < 16; i++)
		for (int j = 0; j < i; j++)
			s += st->t[i][j] ^ st->t[j][i];
	st->sum = s;
}
