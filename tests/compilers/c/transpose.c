/* tight: turns a matrix of eight by eight over its diagonal */
#include "event.h"

struct state {
	u16 m[8][8];
};

void transpose(const struct event *ev, struct state *st)
{
	(void)ev;
	for (u32 i = 0; i < 8; i++) {
		for (u32 j = 0; j < 8; j++) {
			u16 a = st->m[i][j];

			if (j > i) {
				st->m[i][j] = st->m[j][i];
				st->m[j][i] = a;
			}
		}
	}
}
