/* A list in a variable, linked by a pointer to its last link: some edges behind a guard are never taken, which not every analysis finds out. */
#include <ward/probe.h>
struct ward_state { uint64_t n, sum, last; };
struct rec { struct rec *next; uint64_t v; };
static struct rec *alloc(void)
{
	static struct rec store[10];
	static struct rec *next_free = NULL;
	if (!next_free) next_free = store;
	if (next_free == store + 10) return NULL;
	return next_free++;
}
WARD_ENTRY("x!y")
void probe_604(const struct ward_event *ev, struct ward_state *st)
{
	static struct rec *head;
	static struct rec **where;
	if (!where) where = &head;
	struct rec *r = alloc();
	if (r) { r->v = ev->arg[0]; r->next = *where; *where = r; where = ev->arg[1] & 1 ? &r->next : &head; }
	else if (head) { head->v += ev->arg[0]; where = &head; }
	for (struct rec *p = head; p; p = p->next) { st->sum = st->sum * 3 + p->v; st->n++; }
	st->last++;
}
