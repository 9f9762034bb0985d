/* Thread-local storage. */
/* error 7:26: 'seen' is thread-local */
#include <ward/probe.h>

struct state { ward_count n; };

static _Thread_local int seen;

WARD_ENTRY()
void probe(const struct ward_event *ev, struct state *st)
{
	if (seen++ < (int)ev->arg[0])
		st->n++;
}
