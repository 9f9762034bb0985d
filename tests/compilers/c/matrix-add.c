/* tight: two nested loops over a square */
#include "event.h"

struct state {
	u32 a[8][8], b[8][8];
};

void matrix_add(const struct event *ev, struct state *st)
{
	(void)ev;
	for (int i = 0; i < 8; i++)
		for (int j = 0; j < 8; j++)
			st->a[i][j] += st->b[j][i];
}
