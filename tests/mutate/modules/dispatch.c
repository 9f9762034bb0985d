#include <ward/probe.h>

/* A switch that becomes a jump table, and one in a loop. */
struct ward_state {
	unsigned char program[32];
	unsigned state, count[8];
	long total;
};

static long apply(struct ward_state *st, unsigned op, long x)
{
	switch (op) {
	case 0: return x + 1;
	case 1: st->count[1]++; return x ^ 3;
	case 2: return x * 5;
	case 3: st->total -= x; return x;
	case 4: return x >> 1;
	case 5: st->count[op] += 2; return 0;
	case 6: return x - st->count[2];
	default: return -x;
	}
}

WARD_ENTRY()
void once(const struct ward_event *ev, struct ward_state *st)
{
	st->total += apply(st, (unsigned)ev->arg[0], (long)ev->arg[1]);
}

WARD_ENTRY()
void program(const struct ward_event *ev, struct ward_state *st)
{
	long x = (long)ev->arg[0];

	for (unsigned i = 0; i < sizeof(st->program); i++)
		x = apply(st, st->program[i], x);
	st->total = x;
}
