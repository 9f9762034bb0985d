/* A table of labels. */
/* error 14:27: the initialiser of 'to' holds the address of a label */
/* hint there is no computed goto: use switch */
/* error 16:9: the address of a label is taken */
/* hint there is no computed goto: use switch */
#include <ward/probe.h>

struct state { ward_count n; };

WARD_ENTRY()
void probe(const struct ward_event *ev, struct state *st)
{
	/* a static one, which nothing is written to */
	static const void *const to[] = { &&some, &&none };

	goto *(ev->arg[1] ? to[ev->arg[0] & 1] : &&none);
some:
	st->n++;
none:
	return;
}
