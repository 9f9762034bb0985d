/* SPDX-License-Identifier: Apache-2.0 */
/* Structures of callers that begin with their size. */
#ifndef WARD_LOADER_OPTIONS_H
#define WARD_LOADER_OPTIONS_H

#include <stddef.h>

#include "ward/ward.h"

/*
 * Options of any public type, which begin with their size: every field of this version is present in *o, of `size`
 * bytes, from a caller that may know fewer or more (NULL: all zero). WARD_E_USAGE for what is none, or wants what this
 * version doesn't know.
 */
int wl_read_options(void *o, size_t size, const void *given, const char *type, struct ward_error *err);

/* WARD_E_USAGE, with a hint that names the type. */
int wl_no_options(struct ward_error *err, const char *type, const char *why);

#endif
