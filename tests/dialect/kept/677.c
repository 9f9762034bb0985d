/* The distance of two pointers into a local array is a number, in whatever order it is added to others. */
#include <ward/probe.h>

enum { N = 14 };

struct ward_state {
	unsigned next[N];
	uint64_t sum;
	int level[N];
};

static uint64_t spread(struct ward_state *st, unsigned from)
{
	signed char q[N], *h = q, *e = q;
	uint64_t r = 0;

	for (int i = 0; i < N; i++)
		st->level[i] = -1;
	st->level[*e++ = (signed char)(from & 1)] = 0;
	WARD_BOUND(16)
	while (h < e) {
		unsigned u = (unsigned)*h++, v = st->next[u] % N;

		r = r * 31 + u;
		if (st->level[v] < 0) {
			st->level[v] = st->level[u] + 1;
			*e++ = (signed char)v;
		}
	}
	return r + (uint64_t)(e - q);
}

WARD_ENTRY("x!y")
void on(const struct ward_event *ev, struct ward_state *st)
{
	uint64_t a = ev->arg[0], b = ev->arg[1];

	for (int i = 0; i < N; i++)
		st->next[i] = (unsigned)(ev->arg[i % 6] >> i);
	for (unsigned i = 0; i < 5; i++) {
		a += spread(st, i);
		b ^= spread(st, i + (unsigned)ev->arg[0]);
	}
	st->sum += a ^ b;
}
