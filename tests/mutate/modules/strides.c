#include <ward/probe.h>

/* Pointers that move by more than one, up and down. */
struct item {
	unsigned long key, n, pad;
};

struct ward_state {
	struct item items[20];
	unsigned long sum;
};

WARD_ENTRY()
void up(const struct ward_event *ev, struct ward_state *st)
{
	for (struct item *p = st->items; p != st->items + 20; p++) {
		if (p->key == ev->arg[0])
			p->n++;
		st->sum += p->n;
	}
}

WARD_ENTRY()
void down(const struct ward_event *ev, struct ward_state *st)
{
	for (int i = 19; i > 0; i -= 2)
		st->items[i].key = st->items[i].n + ev->arg[1];
}
