/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include <stdarg.h>
#include <stdio.h>

int cg_error(struct cg_report *r, const char *hint, const char *fmt, ...)
{
	char why[400], text[1400];
	va_list ap;

	r->errors++;
	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	snprintf(text, sizeof(text), "ward: %.400s: %s\n%s%.500s%s", r->what, why, hint ? "hint: " : "",
		hint ? hint : "", hint ? "\n" : "");
	if (r->diag)
		r->diag(r->user, text);
	return 1;
}

bool cg_said_enough(struct cg_report *r)
{
	if (r->errors == CG_MOST_ERRORS)
		cg_error(r, NULL, "it has more errors");
	return r->errors >= CG_MOST_ERRORS;
}
