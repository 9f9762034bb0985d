/* No probe function. */
/* error 1:1: no probe function in this file */
#include <ward/probe.h>

struct state { ward_count n; };

void probe(const struct ward_event *ev, struct state *st)
{
	st->n += ev->arg[0];
}
