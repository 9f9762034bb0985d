/* Writes to what threads share that other threads' writes may undo. */
/* error 15:19: a write to what threads share that isn't atomic */
/* error 16:24: a write to what threads share that isn't atomic */
/* hint count in a ward_shared_count, keep values in a WARD_SHARED_MAP, or what is each thread's own in the state */
#include <ward/probe.h>

struct state { ward_count n; };
WARD_SHARED(
	ward_count calls, by_arg[8];
	ward_shared_count good;
);
WARD_ENTRY()
void probe(const struct ward_event *ev, struct state *st)
{
	ward_shared.calls++;
	ward_shared.by_arg[1] = ev->arg[0];
	ward_shared.good++;
	ward_shared.good -= ev->arg[1];
	ward_shared.good = 5;
	st->n = ward_shared.good + ward_shared.calls;
}
