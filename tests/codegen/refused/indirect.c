/* Functions as values: taken in code, called through, and held by a table. */
/* error 12:39: the initialiser of 'table' holds the address of function 'one' */
/* error 17:27: the address of function 'one' is taken */
/* error 18:11: call through a pointer */
/* error 19:11: call through a pointer */
#include <ward/probe.h>

struct state { ward_count n; };

static unsigned long one(unsigned long v) { return v + 1; }
static unsigned long two(unsigned long v) { return v + 2; }
static unsigned long (*const volatile table[])(unsigned long) = { one, two };

WARD_ENTRY()
void probe(const struct ward_event *ev, struct state *st)
{
	unsigned long (*volatile f)(unsigned long) = one;
	st->n += f(ev->arg[0]);
	st->n += table[ev->arg[1] & 1](ev->arg[2]);
}
