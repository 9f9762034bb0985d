/* division by a constant, minimum of two */
#include "event.h"

struct state {
	u64 last, tokens, dropped;
};

void token_bucket(const struct event *ev, struct state *st)
{
	u64 now = ev->time[0], add = (now - st->last) / 1000;
	st->last = now;
	u64 t = st->tokens + add;
	t = t > 100 ? 100 : t;
	if (t)
		t--;
	else
		st->dropped++;
	st->tokens = t;
}
