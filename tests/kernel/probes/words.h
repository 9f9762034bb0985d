/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Probes that each read some words of an event. PROBE(n, site) declares those of set n; all of a set are at one site,
 * in order.
 */
#include <ward/probe.h>

#include "../module/words.h"

struct ward_state {
	ward_count calls, good;
	WARD_MAP(int, ward_count, 64) by_thread;
	WARD_PRIVATE(unsigned long last, cpu;);
};

enum { CALLER = 1, TID = 2, CPU = 4, TIME = 8, SITE = 16, SP = 32 };

static inline __attribute__((always_inline)) bool good_arguments(const struct ward_event *ev, unsigned n)
{
	bool good = true;

#pragma clang loop unroll(full)
	for (unsigned i = 0; i < 6; i++)
		if (ARGUMENTS(n) >> i & 1)
			good &= ev->arg[i] == WORD(i);
	return good;
}

static inline __attribute__((always_inline)) void look(
	const struct ward_event *ev, struct ward_state *st, unsigned n, unsigned site)
{
	bool good = good_arguments(ev, n);

	if (n & CALLER)
		good &= ev->caller >> 56 == 0xff;
	if (n & CPU) {
		good &= ev->cpu < 64 && (st->cpu == 0 || st->cpu == ev->cpu + 1); /* the state's */
		st->cpu = ev->cpu + 1;
	}
	if (n & TIME) {
		good &= ev->time > st->last;
		st->last = ev->time;
	}
	if (n & SITE)
		good &= ev->site == site;
	if (n & SP)
		good &= ev->sp >> 56 == 0xff && ev->sp % 8 == 0;
	st->calls++;
	st->good += good;
	if (n & TID)
		ward_map_add(&st->by_thread, (int)ev->tid, 1);
}

#define PROBE(n, site) \
	WARD_ENTRY(site) \
	void on_##n(const struct ward_event *ev, struct ward_state *st) \
	{ \
		look(ev, st, 0##n, __COUNTER__); \
	}
