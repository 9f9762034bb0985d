/* A mark cleared from a pointer of an earlier event; the pointer is then tested against the pool. */
#include <ward/probe.h>
struct node { struct node *next; uint64_t v; };
struct ward_state { struct node pool[8]; struct node *head; uint64_t sum; };
WARD_ENTRY("x!y")
void probe_607(const struct ward_event *ev, struct ward_state *st)
{
	if (!st->head) { st->head = (struct node *)((uintptr_t)&st->pool[ev->arg[0] & 7] | 1); return; }
	struct node *p = (struct node *)((uintptr_t)st->head & ~(uintptr_t)1);
	if ((unsigned long)p - (unsigned long)st->pool < sizeof st->pool - sizeof *p)
		st->sum += p->v++;
}
