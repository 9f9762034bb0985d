/* The same with pointers to local variables beside them, and fields of the state behind the event's end. */
#include <ward/probe.h>
struct out { uint64_t *cell; int n; };
struct ctx { const struct ward_event *ev; struct ward_state *st; struct out out; uint64_t tmp[4]; uint64_t *cursor; };
struct node { struct node *next; uint64_t v; };
struct ward_state { struct node pool[16]; struct node *head; unsigned n; uint64_t total, last; };
static void emit(struct ctx *c, uint64_t v) { *c->out.cell += v; c->out.n++; if (c->cursor < c->tmp + 4) *c->cursor++ = v; }
static void walk(struct ctx *c) { for (struct node *n = c->st->head; n; n = n->next) if (n->v & c->ev->arg[1]) emit(c, n->v); }
WARD_ENTRY("x!y")
void probe_53(const struct ward_event *ev, struct ward_state *st)
{
	uint64_t acc = 0;
	struct ctx c = { .ev = ev, .st = st, .out = { &acc, 0 } };
	c.cursor = c.tmp;
	if (st->n == 16) { st->n = 0; st->head = NULL; }
	struct node *n = &st->pool[st->n++];
	n->v = ev->arg[0]; n->next = st->head; st->head = n;
	walk(&c);
	if (ev->arg[2] & 1) c.out.cell = &st->total;
	walk(&c);
	st->total += acc;
	for (uint64_t *p = c.tmp; p < c.cursor; p++) st->total = st->total * 3 + *p;
	st->last++;
}
