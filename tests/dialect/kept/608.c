/* A pointer that is kept as a number. */
#include <ward/probe.h>
struct node { uintptr_t next; uint64_t v; };
struct ward_state { struct node pool[8]; uintptr_t head; uint64_t sum; };
WARD_ENTRY("x!y")
void probe_608(const struct ward_event *ev, struct ward_state *st)
{
	if (!st->head) st->head = (uintptr_t)&st->pool[ev->arg[0] & 7];
	struct node *p = (struct node *)st->head;
	st->sum += p->v++;
}
