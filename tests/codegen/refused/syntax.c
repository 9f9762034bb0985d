/* Errors that clang itself reports, in clang's words. */
/* error 10:6: no member named 'bytes' in 'struct state' */
#include <ward/probe.h>

struct state { ward_count n; };

WARD_ENTRY()
void probe(const struct ward_event *ev, struct state *st)
{
	st->bytes += ev->arg[0];
}
