/* SPDX-License-Identifier: Apache-2.0 */
/*
 * As called-guarded.c, but for a table whose length is constant. No guard is needed.
 */
#include <ward/probe.h>

enum { WORDS = 64 };

struct state {
	unsigned long table[WORDS], sum, done;
};

#define ONE(k)                                                                                                         \
	x = (x << 7 | x >> 57) ^ (x * 31 + (k));                                                                       \
	x += x >> 11;
#define EIGHT(k) ONE(k) ONE(k + 1) ONE(k + 2) ONE(k + 3) ONE(k + 4) ONE(k + 5) ONE(k + 6) ONE(k + 7)

static unsigned long mix(const struct state *st, unsigned long at, unsigned long x)
{
	EIGHT(1)
	EIGHT(3)
	EIGHT(5)
	return at < WORDS ? x ^ st->table[at] : x;
}

WARD_ENTRY() void sum(const struct ward_event *ev, struct state *st)
{
	unsigned long x = ev->arg[0];

	st->table[ev->arg[3] % WORDS] = ev->arg[4];
	x = mix(st, ev->arg[1], x);
	x = mix(st, ev->arg[1] + 1, x);
	x = mix(st, ev->arg[1] + 2, x);
	x = mix(st, ev->arg[1] + 3, x);
	x = mix(st, ev->arg[1] + 4, x);
	x = mix(st, ev->arg[1] + 5, x);
	x = mix(st, ev->arg[1] + 6, x);
	x = mix(st, ev->arg[1] + 7, x);
	st->sum = x;
	st->done++;
}
