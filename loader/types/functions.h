/* SPDX-License-Identifier: Apache-2.0 */
/* Types of the functions that sites mean. */
#ifndef WARD_LOADER_TYPES_FUNCTIONS_H
#define WARD_LOADER_TYPES_FUNCTIONS_H

#include "loader/process/maps.h"
#include "loader/process/process.h"
#include "table.h"

/* Of a process, or of a file that looks like one. Returns 0, or an error for the user. */
int types_of_process(const struct wl_process *p, const struct wl_maps *maps, const char *const *sites, size_t n,
	struct table *t, struct ward_error *err);

/* Of the running kernel. */
int types_of_kernel(const char *const *sites, size_t n, struct table *t, struct ward_error *err);

#endif
