/* selection sort of eight: the index of the least */
#include "event.h"

struct state {
	s32 t[8];
};

void sort_selection(const struct event *ev, struct state *st)
{
	(void)ev;
	for (u32 i = 0; i < 7; i++) {
		u32 least = i;
		for (u32 j = i + 1; j < 8; j++)
			if (st->t[j] < st->t[least])
				least = j;
		s32 v = st->t[i];
		st->t[i] = st->t[least];
		st->t[least] = v;
	}
}
