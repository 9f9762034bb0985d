/* SPDX-License-Identifier: Apache-2.0 */
/* Collecting violations while a module is checked. */
#ifndef WARD_VERIFIER_VIOLATION_H
#define WARD_VERIFIER_VIOLATION_H

#include "ward/verify.h"

/*
 * Where checks report to. `report` is called for each broken rule; checking goes on so that one run shows all of them.
 * With a NULL `report` violations are only counted, as proof inference wants it.
 */
struct wv_sink {
	size_t count;
	void (*report)(struct wv_sink *sink, enum ward_rule rule, uint64_t pc, const char *reason, const char *detail);
	void *user;
};

/* Count a violation and pass it on with a formatted detail (cut at 300 characters). `reason` is a static string. */
void wv_report(struct wv_sink *sink, enum ward_rule rule, uint64_t pc, const char *reason, const char *fmt, ...)
	__attribute__((cold, format(printf, 5, 6)));

/* "1 byte", "2 bytes" */
static inline const char *wv_plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

#endif
