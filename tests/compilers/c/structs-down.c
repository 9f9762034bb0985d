/* tight: an array of structs, by a pointer that goes down */
#include "event.h"

struct item {
	u64 a;
	u32 b;
};
struct state {
	u64 n;
	struct item t[40];
};

void structs_down(const struct event *ev, struct state *st)
{
	(void)ev;
	for (struct item *p = st->t + 40; p-- > st->t;) {
		p->a ^= st->n;
		p->b += 7;
	}
}
