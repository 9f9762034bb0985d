/* Two pointers into a table, one to a field. */
#include <ward/probe.h>
const unsigned pointers_611 = 2;
struct phase { uint32_t len, weight; };
static const struct phase phases[] = {{3, 10}, {5, 20}, {1, 7}, {2, 99}};
struct ward_state { const struct phase *cur; const uint32_t *best; uint64_t sum, last; };
WARD_ENTRY("x!y")
void probe_611(const struct ward_event *ev, struct ward_state *st)
{
	if (!st->cur) st->cur = phases;
	for (int i = 0; i < 6; i++) {
		if (++st->cur == phases + 4) st->cur = phases;
		if (!st->best || st->cur->weight > *st->best) st->best = &st->cur->weight;
	}
	st->sum += *st->best;
	st->last++;
}
