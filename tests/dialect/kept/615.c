/* Lists and trees walked by pointers to links, beside pointers to strings that are kept. */
#include <ward/probe.h>
#include <string.h>
struct node { struct node *next; unsigned long key; unsigned count; };
struct tree { struct tree *l, *r; unsigned long key; unsigned long n; };
const unsigned pointers_615 = 1;
struct ward_state { const char *last; struct node pool[64]; struct node *head, *free; unsigned used; struct tree t[128]; struct tree *root; unsigned tused; unsigned long lens[8]; };
static const char *const names[] = {"zero", "one", "two", "three", "four", "five", "six", "seven"};
static struct node *fresh(struct ward_state *st)
{
	struct node *n = st->free;
	if (n) { st->free = n->next; return n; }
	return st->used < 64 ? &st->pool[st->used++] : 0;
}
static void insert(struct ward_state *st, unsigned long key)
{
	struct node **at = &st->head;
	while (*at && (*at)->key < key)
		at = &(*at)->next;
	if (*at && (*at)->key == key) { (*at)->count++; return; }
	struct node *n = fresh(st);
	if (!n) return;
	*n = (struct node){.next = *at, .key = key, .count = 1};
	*at = n;
}
static void delete(struct ward_state *st, unsigned long key)
{
	for (struct node **at = &st->head; *at; at = &(*at)->next) {
		if ((*at)->key == key) { struct node *n = *at; *at = n->next; n->next = st->free; st->free = n; return; }
	}
}
static void tree(struct ward_state *st, unsigned long key)
{
	struct tree **p = &st->root;
	while (*p) {
		if ((*p)->key == key) { (*p)->n++; return; }
		p = key < (*p)->key ? &(*p)->l : &(*p)->r;
	}
	if (st->tused < 128) { struct tree *t = &st->t[st->tused++]; t->key = key; t->n = 1; *p = t; }
}
WARD_ENTRY("libc.so.6!read")
void on_read(const struct ward_event *ev, struct ward_state *st)
{
	insert(st, ev->arg[0] & 0xff);
	if (ev->arg[1] & 1) delete(st, ev->arg[2] & 0xff);
	tree(st, ev->arg[0] ^ ev->arg[1]);
	st->last = names[ev->arg[0] & 7];
	st->lens[ev->arg[0] & 7] = strlen(names[ev->arg[0] & 7]);
	if (!strcmp(st->last, "three")) st->lens[0]++;
}
