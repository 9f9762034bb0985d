/* Arrays whose size is known only when the probe runs. */
/* error 12:2: an array or alloca whose size is not constant */
/* error 13:21: an array or alloca whose size is not constant */
#include <ward/probe.h>

struct state { ward_count n; };

WARD_ENTRY()
void probe(const struct ward_event *ev, struct state *st)
{
	unsigned n = ev->arg[0] & 15;
	unsigned char a[n + 1];
	unsigned char *b = __builtin_alloca(n + 1);

	a[n] = 1;
	b[n] = 2;
	st->n += a[n] + b[n];
}
