/* Distances between pointers into one local array, added: an address that is subtracted twice is a shift of it, not a product. No address is left in the sum. */
#include <ward/probe.h>

struct ward_state {
	uint64_t sum, sums[3];
	uint8_t next[16];
	uint8_t seen[8];
};

static uint64_t spread(struct ward_state *st, uint32_t x)
{
	uint8_t q[9], *h = q, *e = q;

	for (uint32_t i = 0; i < 8; i++)
		st->seen[i] = 0;
	*e++ = (uint8_t)(x % 8);
	st->seen[x % 8] = 1;
	WARD_BOUND(10) while (h < e) {
		uint32_t v = (st->next[*h++ % 16u] + x) % 8;

		if (!st->seen[v]) {
			st->seen[v] = 1;
			*e++ = (uint8_t)v;
		}
	}
	return (uint64_t)(e - q);
}

WARD_ENTRY("x!y")
void probe_679(const struct ward_event *ev, struct ward_state *st)
{
	uint32_t x = (uint32_t)ev->arg[0];
	uint64_t twice = 4;

	for (uint32_t i = 0; i < 16; i++)
		st->next[i] = (uint8_t)(st->next[i] + ev->arg[i % 6] + i);
	for (uint32_t i = 0; i < 2; i++)
		twice += spread(st, x + i);
	st->sum += twice;
	for (uint32_t i = 0; i < 3; i++)
		st->sums[0] += spread(st, x ^ i);
	st->sums[1] += spread(st, x) + spread(st, ~x) + spread(st, x >> 8) + spread(st, x >> 16);
	st->sums[2] += 3 * (spread(st, x + 5) + spread(st, x + 6)) - spread(st, x + 7);
}
