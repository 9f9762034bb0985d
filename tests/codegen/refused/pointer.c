/* Initialisers with the address of a variable that is no constant, or in such a variable: a global, a static inside a function, inside a struct. */
/* error 9:20: the initialiser of 'names' holds an address */
/* error 11:20: the initialiser of 'pair' holds the address of 'pair', which is no constant */
/* error 17:24: the initialiser of 'last' holds the address of 'limit', which is no constant */
#include <ward/probe.h>

struct state { ward_count n; };

static const char *names[] = { "read", "write" };
struct pair { unsigned long v; unsigned long *p; };
static struct pair pair = { 1, &pair.v };
static unsigned long limit;

WARD_ENTRY()
void probe(const struct ward_event *ev, struct state *st)
{
	static unsigned long *last = &limit;

	names[1] = "open";
	pair.p = pair.p + (ev->arg[1] & 1);
	if (names[ev->arg[0] & 1][0] == 'r')
		st->n += *pair.p + *last++;
}
