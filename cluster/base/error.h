/* SPDX-License-Identifier: Apache-2.0 */
/* Filling a struct ward_error. error.c describes how. */
#ifndef WARD_CLUSTER_ERROR_H
#define WARD_CLUSTER_ERROR_H

#include "ward/ward.h"

/* Set status, what and why, clear the hint, and return status. NULL is allowed as err, here and below. */
int cluster_fail(struct ward_error *err, int status, const char *what, const char *why, ...)
	__attribute__((format(printf, 4, 5)));

/* Set the hint of an error that cluster_fail has set. */
void cluster_hint(struct ward_error *err, const char *hint, ...) __attribute__((format(printf, 2, 3)));

/* Set "out of memory" and return WARD_E_SYSTEM. */
int cluster_no_memory(struct ward_error *err);

/* Make a text that a stranger has written one line of printable ASCII. */
void cluster_clean(char *text);

#endif
