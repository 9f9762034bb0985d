/* A function with a body in the system's headers is refused at the author's line; a name that only the headers know is shown beside the author's. */
/* error 14:11: unknown external 'atoi' */
/* error 15:2: unknown external '__errno_location' (errno) */
/* error 16:11: floating point */
#include <errno.h>
#include <stdlib.h>
#include <ward/probe.h>

struct state { ward_count n; char text[64]; double mean; };

WARD_ENTRY()
void probe(const struct ward_event *ev, struct state *st)
{
	st->n += atoi(st->text);
	errno = 3;
	st->mean = st->mean * 0.9 + ev->arg[0] * 0.1;
}
