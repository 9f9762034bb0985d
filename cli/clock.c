/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Find out how many counts of the time stamp counter are a microsecond. Probes read that counter because it costs next
 * to nothing. Only the system's clock says what a count is worth, so both are read at the start and at the end of a
 * trace.
 */
#include <time.h>
#include <x86intrin.h>

#include "cli.h"

enum { TRIES = 8 };

/* The pair of both that was read in the shortest time. */
static struct cli_clock read_both(void)
{
	struct cli_clock best = {0};
	uint64_t shortest = UINT64_MAX;
	for (int i = 0; i < TRIES; i++) {
		struct timespec ts;
		uint64_t before = __rdtsc();
		clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
		uint64_t took = __rdtsc() - before;
		if (took >= shortest)
			continue;
		shortest = took;
		best = (struct cli_clock){before + took / 2, (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec};
	}
	return best;
}

void cli_clock_start(struct cli_clock *start)
{
	*start = read_both();
}

double cli_clock_rate(const struct cli_clock *start)
{
	struct cli_clock now = read_both();
	return now.ns > start->ns && now.counts > start->counts
		       ? (double)(now.counts - start->counts) * 1000 / (double)(now.ns - start->ns)
		       : 0;
}
