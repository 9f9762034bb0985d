#include <ward/probe.h>

/* Functions that are called: numbers, results, and memory that callers pass. */
struct ward_state {
	unsigned long sums[32];
};

static const unsigned long weights[4] = {1, 10, 100, 1000};

__attribute__((noinline)) static unsigned long mix(unsigned long a, unsigned long b)
{
	return (a ^ b >> 7) * 31 + b;
}

__attribute__((noinline)) static void add(struct ward_state *st, unsigned long at, unsigned long by)
{
	st->sums[at & 31] += by;
}

WARD_ENTRY()
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	for (unsigned i = 0; i < 4; i++)
		add(st, mix(ev->arg[i], ev->ret), weights[i]);
}
