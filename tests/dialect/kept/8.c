/* An array counted from its middle: an index below 0 that nothing else shows. */
#include <ward/probe.h>
struct ward_state { uint64_t sum; int64_t at, a[16]; int32_t b[16]; uint64_t last; };
WARD_ENTRY("x!y")
void probe_8(const struct ward_event *ev, struct ward_state *st)
{
	int64_t *middle = st->a + 8;
	int32_t *half = st->b + 8;

	st->at = st->at >= 7 ? -8 : st->at + 1;
	middle[st->at] += (int64_t)ev->arg[0];
	half[(int32_t)st->at]++;
	half[st->at] ^= (int32_t)ev->arg[1];
	st->sum++;
	st->last++;
}
