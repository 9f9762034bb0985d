/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A large function that is called in many places and has an assertion. That ends the run, so the function is inlined.
 */
#include <assert.h>
#include <ward/probe.h>

struct state {
	unsigned long sum, done;
};

#define ONE(k)                                                                                                         \
	x = (x << 7 | x >> 57) ^ (x * 31 + (k));                                                                       \
	x += x >> 11;
#define EIGHT(k) ONE(k) ONE(k + 1) ONE(k + 2) ONE(k + 3) ONE(k + 4) ONE(k + 5) ONE(k + 6) ONE(k + 7)

static unsigned long mix(unsigned long at, unsigned long x)
{
	EIGHT(1)
	EIGHT(3)
	EIGHT(5)
	assert(at != 1ul << 50);
	return x;
}

WARD_ENTRY() void sum(const struct ward_event *ev, struct state *st)
{
	unsigned long x = ev->arg[0];

	x = mix(ev->arg[1], x);
	x = mix(ev->arg[1] + 1, x);
	x = mix(ev->arg[1] + 2, x);
	x = mix(ev->arg[1] + 3, x);
	x = mix(ev->arg[1] + 4, x);
	x = mix(ev->arg[1] + 5, x);
	x = mix(ev->arg[1] + 6, x);
	x = mix(ev->arg[1] + 7, x);
	st->sum = x;
	st->done++;
}
