/* SPDX-License-Identifier: Apache-2.0 */
/* The sites that a process is sampled for: what the probes of a module want. */
#ifndef WARD_LOADER_SAMPLE_SITES_H
#define WARD_LOADER_SAMPLE_SITES_H

#include "loader/attach/attach.h"
#include "task_events.h"

/* Are the sites that an image's probes want samples? WL_SOME_SAMPLES: some are, and others are in code. */
enum wl_sampling { WL_NO_SAMPLES, WL_SOME_SAMPLES, WL_ONLY_SAMPLES };
enum wl_sampling wl_sampling_of(const struct ward_image *image, const struct ward_attach_options *options);

/* A site, and the probes that run there. */
struct wl_sampled_site {
	const char *label; /* the module's or the caller's text */
	struct wl_sample_site what;
	uint16_t *entries;
	size_t n_entries;
	const char *how, *reason; /* as in the site's report */
	uint64_t due;             /* of an interval: when its next end is, nanoseconds of CLOCK_MONOTONIC_RAW */
};

/* Zero at first. */
struct wl_sampled_sites {
	struct wl_sampled_site *v;
	size_t n, n_attached;         /* those that can be had */
	struct wl_task_event *events; /* of these, but for intervals; with room for wl_task_events_tell */
	size_t n_events;
};

/*
 * Find the sites, and what can be had of each. Returns 0, or an error: none can be had. The image and the texts of the
 * options must live as long as the sites.
 */
int wl_sampled_sites_find(struct wl_sampled_sites *s, const struct ward_image *image,
	const struct ward_attach_options *o, const struct wl_sample_wants *wants, struct ward_error *err);
/* Tell options->on_site, if any, about each. */
void wl_sampled_sites_report(
	const struct wl_sampled_sites *s, const struct ward_image *image, const struct ward_attach_options *o);
void wl_sampled_sites_free(struct wl_sampled_sites *s);

#endif
