/* SPDX-License-Identifier: Apache-2.0 */
/* Filling a struct ward_error. */
#ifndef WARD_LOADER_ERROR_H
#define WARD_LOADER_ERROR_H

#include "ward/ward.h"

/* Clear *err. NULL is allowed, here and below. */
void wl_clear(struct ward_error *err);

/* Set status, what and why (cut to fit), clear the hint, and return status, for `return wl_fail(…)`. */
int wl_fail(struct ward_error *err, int status, const char *what, const char *why, ...)
	__attribute__((format(printf, 4, 5)));

/* Return rc. If it is a failure and *err isn't set, set it. Functions of the library's interface end with this. */
int wl_said(int rc, struct ward_error *err);

/* Set the hint of an error that wl_fail has set. */
void wl_hint(struct ward_error *err, const char *hint, ...) __attribute__((format(printf, 2, 3)));

/* A missing argument of a function: WARD_E_USAGE. */
int wl_missing(struct ward_error *err, const char *function, const char *argument);

/* "out of memory". */
int wl_no_memory(struct ward_error *err);

#endif
