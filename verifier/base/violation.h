/* SPDX-License-Identifier: Apache-2.0 */
/* Collects the violations found while a module is checked. */
#ifndef WARD_VERIFIER_VIOLATION_H
#define WARD_VERIFIER_VIOLATION_H

#include "ward/verify.h"

/*
 * Where checks report violations. The checks call `report` for each broken rule and then go on, so that one run shows
 * all broken rules. With a NULL `report` the sink only counts violations; proof inference uses it so.
 */
struct wv_sink {
	size_t count;
	void (*report)(struct wv_sink *sink, enum ward_rule rule, uint64_t pc, const char *reason, const char *detail);
	void *user;
};

/* Count a violation and report it with a formatted detail (cut at 300 characters). `reason` is a static string. */
void wv_report(struct wv_sink *sink, enum ward_rule rule, uint64_t pc, const char *reason, const char *fmt, ...)
	__attribute__((cold, format(printf, 5, 6)));

/* "1 byte", "2 bytes" */
static inline const char *wv_plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

#endif
