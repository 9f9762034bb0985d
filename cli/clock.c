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
		best = (struct cli_clock){
			.counts = before + took / 2, .ns = (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec};
	}
	return best;
}

void cli_clock_start(struct cli_clock *start)
{
	struct timespec now;
	*start = read_both();
	clock_gettime(CLOCK_REALTIME, &now);
	start->epoch = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

double cli_clock_rate(const struct cli_clock *start)
{
	struct cli_clock now = read_both();
	return now.ns > start->ns && now.counts > start->counts
		       ? (double)(now.counts - start->counts) * 1000 / (double)(now.ns - start->ns)
		       : 0;
}

bool cli_clock_moment(const struct cli_clock *start, uint64_t counts, int64_t *ns)
{
	if (!start || !start->epoch || start->rate <= 0)
		return false;
	if (!start->is_elsewhere && (counts < start->counts || counts > __rdtsc()))
		return false;
	*ns = start->epoch +
	      (int64_t)((long double)(int64_t)(counts - start->counts) * 1000 / (long double)start->rate);
	return true;
}

void cli_moment_text(char *text, size_t size, int64_t ns)
{
	time_t seconds = (time_t)(ns / 1000000000);
	struct tm tm;
	size_t n = localtime_r(&seconds, &tm) ? strftime(text, size, "%H:%M:%S", &tm) : 0;
	snprintf(text + n, size - n, ".%06d", (int)(ns % 1000000000 / 1000));
}
