/* Less, or equal and then ordered by another number: the same two numbers are compared twice. */
/* compiled as usual */
#include <ward/probe.h>
struct ward_state { unsigned long best, seq, n; };
WARD_ENTRY("x!y")
void probe_661(const struct ward_event *ev, struct ward_state *st)
{
	if (st->best < ev->arg[0] || (st->best == ev->arg[0] && st->seq > ev->arg[1])) { st->best = ev->arg[0]; st->seq = ev->arg[1]; }
}
