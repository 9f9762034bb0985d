/* The element before a pointer that was loaded. */
#include <ward/probe.h>
struct ward_state { uint64_t sum; uint8_t a[16], *p; uint64_t b[4], *q; uint64_t last; };
WARD_ENTRY("x!y")
void probe_9(const struct ward_event *ev, struct ward_state *st)
{
	if (!st->p || ev->arg[0] & 1)
		st->p = &st->a[ev->arg[1] & 15];
	if (!st->q || ev->arg[0] & 2)
		st->q = &st->b[ev->arg[1] & 3];
	if (st->p - st->a >= 1)
		st->p[-1]++;
	if (st->q - st->b >= 1)
		st->q[-1] += 3;
	st->sum++;
	st->last++;
}
