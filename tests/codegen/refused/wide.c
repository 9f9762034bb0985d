/* Numbers that are too wide, and vectors. */
/* error 13:33: a division of more than 64 bits */
/* error 14:8: a vector type */
#include <ward/probe.h>

typedef unsigned long pair __attribute__((vector_size(16)));
struct state { ward_count n; unsigned __int128 w; pair v; };

WARD_ENTRY()
void probe(const struct ward_event *ev, struct state *st)
{
	st->w += ev->arg[0];
	st->n += (unsigned long)(st->w / ev->arg[1]);
	st->v += st->v;
}
