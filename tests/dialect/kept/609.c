/* The sum of two pointers in one word. */
#include <ward/probe.h>
struct node { uintptr_t link; uint64_t v; };
struct ward_state { struct node pool[8]; struct node *head; uint64_t sum; };
WARD_ENTRY("x!y")
void probe_609(const struct ward_event *ev, struct ward_state *st)
{
	struct node *a = &st->pool[ev->arg[0] & 7], *b = &st->pool[ev->arg[1] & 7];
	uintptr_t x = (uintptr_t)a ^ (uintptr_t)b;
	st->pool[0].link = x;
	struct node *p = (struct node *)(st->pool[ev->arg[2] & 7].link ^ (uintptr_t)a);
	if ((uintptr_t)p >= (uintptr_t)st->pool && (uintptr_t)p < (uintptr_t)(st->pool + 8)) st->sum += p->v++;
}
