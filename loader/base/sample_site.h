/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sites that aren't places in code: a probe runs there each time that a clock, or a counter of the processor or of the
 * kernel, has come so far. The kernel interrupts the program for it (perf_event_open); what was interrupted is the
 * sample.
 *
 *	profile:HZ      so many times a second: each thread of a process, as long as it runs; each processor
 *	interval:TIME   once in so long: for the whole process or machine
 *	off-cpu:TIME    when a thread of a process goes on that was off the processors for so long, or longer
 *	EVENT:N         at each Nth event of those that `perf list` names: cpu-cycles:1000000, page-faults:1
 */
#ifndef WARD_LOADER_SAMPLE_SITE_H
#define WARD_LOADER_SAMPLE_SITE_H

#include "ward/ward.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An event that can be counted, as perf_event_open takes it. */
struct wl_sample_event {
	const char *name, *other; /* `other`: what it is also called, or NULL */
	uint32_t type;            /* PERF_TYPE_HARDWARE, _SOFTWARE or _HW_CACHE */
	uint64_t config;
};

struct wl_sample_site {
	enum wl_sample_kind { WL_SAMPLE_PROFILE, WL_SAMPLE_INTERVAL, WL_SAMPLE_OFF_CPU, WL_SAMPLE_EVENT } kind;
	uint64_t period; /* nanoseconds; of WL_SAMPLE_EVENT, how many events (of the clocks: nanoseconds) */
	const struct wl_sample_event *event; /* of WL_SAMPLE_EVENT; static */
};

enum {
	WL_SAMPLE_MAX_HZ = 100000,
	/* Where the machine doesn't count what is asked for, samples come by the clock: so many a second. */
	WL_SAMPLE_CLOCK_HZ = 99,
};

/* What it is then. */
struct wl_sample_site wl_sample_by_clock(void);

/* How samples are taken, in the words of the site's report. The last ones are for what the machine doesn't count. */
extern const char wl_sample_method_clock[], wl_sample_method_counter[], wl_sample_no_counter[];

/* The first or the second of these. */
const char *wl_sample_method(const struct wl_sample_site *site);

/* Does the text mean such a site, whether well or badly written? No other site's text does. */
bool wl_is_sample_site(const char *text);

/* Parse it. Returns 0 or WARD_E_USAGE. */
int wl_sample_site_parse(const char *text, struct wl_sample_site *out, struct ward_error *err);

/*
 * Does the kernel take so many samples of a clock? WARD_E_TARGET if not; it holds back what comes more often than
 * kernel.perf_event_max_sample_rate says, which it lowers by itself when samples take long.
 */
int wl_sample_check_rate(const char *text, const struct wl_sample_site *site, struct ward_error *err);

/* May a machine be without a counter for it? */
bool wl_sample_may_lack(const struct wl_sample_site *site);

/* The events that there are names for, or NULL beyond the last. */
const struct wl_sample_event *wl_sample_event(size_t i);

#endif
