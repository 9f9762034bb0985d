/* A copy of several of the event's fields to where a guard is needed. */
#include <ward/probe.h>
struct rec { uint64_t a[3]; };
struct ward_state { uint64_t n; struct rec r[64]; };
WARD_ENTRY("kernel!x")
void on(const struct ward_event *ev, struct ward_state *st)
{
	__builtin_memcpy(&st->r[st->n], &ev->arg[1], sizeof st->r[0]);
	st->n = (st->n + 1) % 64;
}
