/* tight: three nested loops */
#include "event.h"

struct state {
	u32 a[6][6], b[6][6], c[6][6];
};

void matrix_product(const struct event *ev, struct state *st)
{
	(void)ev;
	for (int i = 0; i < 6; i++)
		for (int j = 0; j < 6; j++) {
			u32 s = 0;
			for (int k = 0; k < 6; k++)
				s += st->a[i][k] * st->b[k][j];
			st->c[i][j] = s;
		}
}
