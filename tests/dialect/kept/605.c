/* The next free element of a variable, kept in another. */
#include <ward/probe.h>
struct ward_state { uint64_t last; };
struct rec { struct rec *next; uint64_t v; };
static struct rec store[10], *next_free;
WARD_ENTRY("x!y")
void probe_605(const struct ward_event *ev, struct ward_state *st)
{
	if (!next_free) next_free = store;
	if (next_free == store + 10) return;
	struct rec *r = next_free++;
	r->v = ev->arg[0];
	st->last++;
}
