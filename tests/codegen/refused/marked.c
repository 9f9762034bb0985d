/* A variable that is marked as a probe. */
/* error 8:12: the variable 'count' is marked as a probe */
#include <ward/probe.h>

struct state { ward_count n; };

WARD_ENTRY("libc.so.6!read")
static int count = 3;

WARD_ENTRY()
void probe(const struct ward_event *ev, struct state *st)
{
	st->n += count;
}
