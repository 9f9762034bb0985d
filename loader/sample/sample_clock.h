/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When a sample was taken, by the time stamp counter, which the events of other probes have. The kernel writes
 * nanoseconds of CLOCK_MONOTONIC_RAW into records. Both clocks are read now and then, and a moment between two such
 * readings is found from them.
 */
#ifndef WARD_LOADER_SAMPLE_SAMPLE_CLOCK_H
#define WARD_LOADER_SAMPLE_SAMPLE_CLOCK_H

#include <stdint.h>

struct wl_moment {
	uint64_t ns, counts;
};

struct wl_sample_clock {
	struct wl_moment from, to; /* the last two readings */
};

/* Nanoseconds of CLOCK_MONOTONIC_RAW. */
uint64_t wl_raw_ns(void);

/* Read both. Costs less than a microsecond, so it may be done at each look at the rings. */
void wl_sample_clock_start(struct wl_sample_clock *clock);
void wl_sample_clock_read(struct wl_sample_clock *clock);

/* The time stamp counter at that moment. */
uint64_t wl_sample_counts(const struct wl_sample_clock *clock, uint64_t ns);

#endif
