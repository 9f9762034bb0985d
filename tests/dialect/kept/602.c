/* Pointers to the event and the state in local structs, one of which is chosen. */
#include <ward/probe.h>
struct ctx { const struct ward_event *ev; struct ward_state *st; };
struct ward_state { uint64_t done, sum; };
WARD_ENTRY("x!y")
void probe_602(const struct ward_event *ev, struct ward_state *st)
{
	struct ctx c[2] = { {ev, st}, {ev, st} };
	struct ctx *p = &c[ev->arg[0] & 1];
	p->st->sum += p->ev->arg[1];
	st->done++;
}
