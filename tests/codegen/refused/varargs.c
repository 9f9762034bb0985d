/* A variadic function of the probe's own. */
/* error 7:22: 'sum' takes a variable number of arguments */
#include <ward/probe.h>

struct state { ward_count n; };

static unsigned long sum(unsigned n, ...)
{
	__builtin_va_list ap;
	unsigned long s = 0;

	__builtin_va_start(ap, n);
	for (unsigned i = 0; i < n && i < 4; i++)
		s += __builtin_va_arg(ap, unsigned long);
	__builtin_va_end(ap);
	return s;
}

WARD_ENTRY()
void probe(const struct ward_event *ev, struct state *st)
{
	st->n += sum(2, ev->arg[0], ev->arg[1]);
}
