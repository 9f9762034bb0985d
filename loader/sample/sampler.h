/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples of a live process: a thread of this process that reads them, and runs the probes. sampler.c describes how.
 */
#ifndef WARD_LOADER_SAMPLE_SAMPLER_H
#define WARD_LOADER_SAMPLE_SAMPLER_H

#include "loader/attach/attach.h"

struct wl_sampler;

/*
 * Sample a process, which runs or is held. The image must live as long as the sampler. Returns 0, or an error; *out is
 * to be freed in either case, unless it is NULL.
 */
int wl_sampler_start(struct wl_sampler **out, const struct ward_image *image, pid_t pid,
	const struct ward_attach_options *options, struct ward_error *err);

/* Tell options->on_site, if any, about each site: also of one that couldn't be started. */
void wl_sampler_report(const struct wl_sampler *s, const struct ward_attach_options *options);

/* Tell options->on_process, if any, about the programs that are over since the last call. */
void wl_sampler_tell(struct wl_sampler *s, const struct ward_attach_options *options);

/* Take no more samples; what has been taken is in the state afterwards. Once. */
void wl_sampler_stop(struct wl_sampler *s);
void wl_sampler_free(struct wl_sampler *s);

/* Its tallies and states, as those of a process's threads. */
const struct wl_attachment *wl_sampler_states(const struct wl_sampler *s);
/* Names of addresses, which are the sampler's; of a stopped one, too. */
ward_names *wl_sampler_names(const struct wl_sampler *s);
/* Have all programs ended? */
bool wl_sampler_over(struct wl_sampler *s);

#endif
