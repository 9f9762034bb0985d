/* A mark in the lowest bit of a stored pointer, cleared before it is used. */
#include <ward/probe.h>
struct node { struct node *next; uint64_t v; };
struct ward_state { struct node pool[8]; struct node *head; uint64_t sum; };
static struct node *clean(struct node *p) { return (struct node *)((uintptr_t)p & ~(uintptr_t)1); }
WARD_ENTRY("x!y")
void probe_606(const struct ward_event *ev, struct ward_state *st)
{
	st->head = &st->pool[ev->arg[0] & 7];
	if (ev->arg[1] & 1) st->head = (struct node *)((uintptr_t)st->head | 1);
	struct node *p = clean(st->head);
	st->sum += p->v++;
}
