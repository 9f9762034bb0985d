/* What was there before an atomic and, or, xor. */
/* error 13:11: an atomic update whose result is used, and for which there is no instruction */
/* error 14:11: an atomic update whose result is used, and for which there is no instruction */
/* hint add, subtract, exchange, or compare and exchange; and, or, xor whose result isn't used */
#include <ward/probe.h>

struct state { ward_count n; };
static unsigned long shared;

WARD_ENTRY()
void probe(const struct ward_event *ev, struct state *st)
{
	st->n += __atomic_fetch_or(&shared, ev->arg[0], __ATOMIC_RELAXED);
	st->n += __atomic_and_fetch(&shared, 5, __ATOMIC_RELAXED);
	__atomic_fetch_xor(&shared, 1, __ATOMIC_RELAXED);
}
