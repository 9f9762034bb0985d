/* The inner loop turns out to iterate at most once, so it is no loop any more: its stated bound is not the outer loop's. */
#include <ward/probe.h>

struct ward_state {
	uint64_t sum;
	uint8_t b[43];
};

static uint64_t walk(const struct ward_state *st, uint32_t x)
{
	int32_t path[2];
	uint32_t n = 0, u = x % 2u;
	uint64_t r = x;

	WARD_BOUND(3) while (n < 2 && u != 0) {
		path[n++] = (int32_t)u;
		u = (uint32_t)((uint64_t)st->b[u % 43u] * 0u + u + 5) % 2u;
	}
	for (uint32_t i = 0; i < n; i++)
		r = r * 31 + (uint64_t)path[i];
	return r;
}

WARD_ENTRY("x!y")
void probe_678(const struct ward_event *ev, struct ward_state *st)
{
	for (uint32_t i = 0; i < 300; i++) {
		st->sum ^= walk(st, i + (uint32_t)ev->arg[0]);
		st->sum = st->sum * 3 + i;
	}
}
