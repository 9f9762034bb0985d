/* A function without debug information is refused by its name. */
/* error 10:53: the initialiser of 'first' holds the address of 'one', which is no constant */
/* error 12:37: recursion: 'down' calls itself */
/* error 18:31: 'probe' has no debug information */
#include <ward/probe.h>

struct state { ward_count n; };

static __attribute__((nodebug)) int down(int n); /* not here */
static __attribute__((nodebug)) unsigned long one, *first = &one;

static __attribute__((nodebug)) int down(int n)
{
	return n ? down(n - 1) : 0;
}

WARD_ENTRY()
__attribute__((nodebug)) void probe(const struct ward_event *ev, struct state *st)
{
	st->n += down((int)ev->arg[0]) + *first++;
}
