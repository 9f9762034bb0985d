/* Pointers to the event's fields in a local array. */
#include <ward/probe.h>
struct ward_state { uint64_t done, sum; };
WARD_ENTRY("x!y")
void probe_601(const struct ward_event *ev, struct ward_state *st)
{
	const unsigned long *from[4];
	for (unsigned i = 0; i < 4; i++) from[i] = &ev->arg[i];
	st->sum += *from[st->done & 3];
	st->done++;
}
