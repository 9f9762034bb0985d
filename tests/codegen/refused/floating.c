/* Floating point: an operation, a conversion, a comparison. */
/* error 11:12: floating point */
/* error 12:15: floating point */

#include <ward/probe.h>

struct state { ward_count n; double mean; };

WARD_ENTRY()
void probe(const struct ward_event *ev, struct state *st)
{	st->mean = (double)ev->arg[0];
	st->n += st->mean > 0.5;
}
