/* SPDX-License-Identifier: Apache-2.0 */
/* The time stamp counter at moments of another clock. */
#include "sample_clock.h"

#include <time.h>
#include <x86intrin.h>

enum { TRIES = 4 };

/* Readings that are closer to each other say little about the rate. */
static const uint64_t LEAST_NS = 5000000;

uint64_t wl_raw_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* The pair that took the least time to be read. */
static struct wl_moment moment_now(void)
{
	struct wl_moment best = {0};
	uint64_t shortest = UINT64_MAX;

	for (int i = 0; i < TRIES; i++) {
		uint64_t before = __rdtsc(), ns = wl_raw_ns(), took = __rdtsc() - before;

		if (took < shortest) {
			shortest = took;
			best = (struct wl_moment){ns, before + took / 2};
		}
	}
	return best;
}

void wl_sample_clock_start(struct wl_sample_clock *clock)
{
	clock->from = clock->to = moment_now();
}

void wl_sample_clock_read(struct wl_sample_clock *clock)
{
	struct wl_moment now = moment_now();

	if (now.ns <= clock->to.ns || (clock->from.ns < clock->to.ns && now.ns < clock->to.ns + LEAST_NS))
		return;
	clock->from = clock->to;
	clock->to = now;
}

uint64_t wl_sample_counts(const struct wl_sample_clock *clock, uint64_t ns)
{
	int64_t since = (int64_t)(ns - clock->from.ns), ns_between = (int64_t)(clock->to.ns - clock->from.ns);
	int64_t counts = (int64_t)(clock->to.counts - clock->from.counts);

	if (ns_between <= 0)
		return clock->from.counts;
	return clock->from.counts + (uint64_t)(int64_t)((__int128)since * counts / ns_between);
}
