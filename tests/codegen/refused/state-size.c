/* A state that is too large for any thread. */
/* error 8:6: the state has 536870912 bytes; at most 268435456 */
#include <ward/probe.h>

struct state { ward_count n[1 << 26]; };

WARD_ENTRY()
void probe(const struct ward_event *ev, struct state *st)
{
	st->n[ev->arg[0] & 7]++;
}
