/* SPDX-License-Identifier: Apache-2.0 */
/* What the threads of a target may do. permitted.c describes how that is found. */
#ifndef WARD_LOADER_PERMITTED_H
#define WARD_LOADER_PERMITTED_H

#include "attachment.h"

/* Does code of the module, or a stub for it, read the time stamp counter? */
bool wl_reads_time(const struct ward_module_facts *facts);

/* Is the time stamp counter turned off for the thread that makes the calls? The gate's page is mapped. */
bool wl_time_is_off(struct wl_attachment *a, struct wl_remote *r);

/*
 * If the module reads the time, all threads must be able to: 0, or an error. The attachment is mapped. Threads are
 * stopped for a moment, one after another, but for those that are `held` (NULL: none).
 */
int wl_check_time(struct wl_attachment *a, const struct ward_module_facts *facts, struct wl_threads *held,
	struct ward_error *err);

#endif
