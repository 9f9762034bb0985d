/* The address of a large local variable, which would have room behind the state, may not be kept either. */
/* error 13:11: the address of a local variable is stored */
#include <ward/probe.h>

struct state { ward_count n; char *last; };

static void deep(struct state *st, unsigned long n)
{
	char b[5000];

	b[n % 5000] = 1;
	st->n += (unsigned char)b[3];
	st->last = b;
}

WARD_ENTRY()
void probe(const struct ward_event *ev, struct state *st)
{
	deep(st, ev->arg[0]);
}
