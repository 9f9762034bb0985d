/* SPDX-License-Identifier: Apache-2.0 */
#include "violation.h"

#include <stdarg.h>
#include <stdio.h>

void wv_report(struct wv_sink *sink, enum ward_rule rule, uint64_t pc, const char *reason, const char *fmt, ...)
{
	char detail[300];
	va_list ap;
	sink->count++;
	if (!sink->report)
		return;
	va_start(ap, fmt);
	vsnprintf(detail, sizeof detail, fmt, ap);
	va_end(ap);
	sink->report(sink, rule, pc, reason, detail);
}
