/* Computed goto. */
/* error 10:13: the address of a label is taken */
#include <ward/probe.h>

struct state { ward_count n; };

WARD_ENTRY()
void probe(const struct ward_event *ev, struct state *st)
{
	void *to = ev->arg[0] ? &&some : &&none;

	goto *to;
some:
	st->n++;
none:
	return;
}
