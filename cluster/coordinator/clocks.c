/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A beat has the coordinator's time, and comes back with a message: how long that was on its way there and back is
 * known, and the machine's clock was read in between. So its offset is known within half of that. The best measurement
 * holds, until another one is better: clocks drift, by up to 100 parts of a million, so an old one is worth less.
 */
#include "clocks.h"

enum { DRIFT = 10000 };

uint64_t cluster_clock_within(const struct cluster_clock *c, uint64_t now_ns)
{
	return c->within_ns + (now_ns - c->since_ns) / DRIFT;
}

void cluster_clock_hear(struct cluster_clock *c, const struct cluster_clock_echo *e, uint64_t now_ns)
{
	uint64_t there;

	if (e->now_at < e->beat_at || e->now_at - e->beat_at < e->age_ns)
		return; /* a clock was set meanwhile, or the machine says what can't be */
	there = (e->now_at - e->beat_at - e->age_ns) / 2;
	if (c->is_known && there > cluster_clock_within(c, now_ns))
		return;
	*c = (struct cluster_clock){.offset_ns = (int64_t)(e->clock_at - (e->now_at - there)),
		.within_ns = there,
		.since_ns = now_ns,
		.is_known = true};
}
