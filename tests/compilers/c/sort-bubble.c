/* bubble sort of eight, with constant counts */
#include "event.h"

struct state {
	u32 t[8];
};

void sort_bubble(const struct event *ev, struct state *st)
{
	(void)ev;
	for (int i = 0; i < 7; i++)
		for (int j = 0; j < 7; j++)
			if (st->t[j] > st->t[j + 1]) {
				u32 v = st->t[j];
				st->t[j] = st->t[j + 1];
				st->t[j + 1] = v;
			}
}
