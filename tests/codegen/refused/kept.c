/* Addresses that are useless once they are stored, and writes to read-only memory; through functions and local variables too. */
/* error 25:8: the address of a local variable is stored */
/* error 42:13: the address of a local variable is stored */
/* error 43:18: a write to the event, which is for reading only */
/* error 44:45: a write to 'weights', which is const */
/* error 45:2: a write to 'weights', which is const */
#include <ward/probe.h>

struct link {
	const void *to;
	struct link *next;
};
struct state {
	ward_count n;
	struct link links[4];
	unsigned long number;
};

static unsigned long shared[4];
static const unsigned char weights[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
static const void *last;

static void keep(struct link *l, const void *what)
{
	l->to = what;
}

WARD_ENTRY()
void probe(const struct ward_event *ev, struct state *st)
{
	unsigned long local[2] = {ev->arg[0], ev->arg[1]};
	unsigned long *in = local + (ev->arg[1] & 1);
	struct ward_event *written = (struct ward_event *)ev;

	st->links[0].next = &st->links[1]; /* which may be, and so may variables' and strings' */
	in = &local[ev->arg[2] & 1];
	keep(&st->links[0], in);
	keep(&st->links[1], &shared[ev->arg[2] & 3]);
	keep(&st->links[2], weights[1]);
	keep(&st->links[3], "name");
	last = ev;
	st->number = (unsigned long)&local;
	written->arg[1] = 2;
	((unsigned char *)weights)[ev->arg[0] & 7] = 1;
	__builtin_memset((void *)weights[1], 0, 4);
	st->n += *(const unsigned long *)st->links[0].to + *in;
}
