/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports of programs that are over, from the thread that reads samples to the caller's (ward_process_report). Both
 * functions may be called at the same time.
 */
#ifndef WARD_LOADER_SAMPLE_PROGRAM_REPORTS_H
#define WARD_LOADER_SAMPLE_PROGRAM_REPORTS_H

#include "program.h"

#include <pthread.h>

struct wl_program_report;

struct wl_program_reports {
	pthread_mutex_t lock;
	struct wl_program_report *first, **end;
};

void wl_program_reports_init(struct wl_program_reports *r);
void wl_program_reports_free(struct wl_program_reports *r);

/* Without memory the report is lost. `sites`: so many were attached. */
void wl_program_reports_add(struct wl_program_reports *r, const struct wl_program *program, uint32_t sites);

/* Tell of those that were added since, in that order; NULL: tell nobody. */
void wl_program_reports_deliver(struct wl_program_reports *r, ward_process_fn *on_process, void *user);

#endif
