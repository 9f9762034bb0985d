/* SPDX-License-Identifier: Apache-2.0 */
/* Errors of the cluster's parts. Texts in them come from other machines, so each is made one line of printable text. */
#include "error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void cluster_clean(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < 0x20 || (unsigned char)*text >= 0x7f)
			*text = '?';
}

int cluster_fail(struct ward_error *err, int status, const char *what, const char *why, ...)
{
	va_list ap;

	if (!err)
		return status;
	memset(err, 0, sizeof(*err));
	err->status = status;
	snprintf(err->what, sizeof(err->what), "%s", what);
	va_start(ap, why);
	vsnprintf(err->why, sizeof(err->why), why, ap);
	va_end(ap);
	cluster_clean(err->what);
	cluster_clean(err->why);
	return status;
}

void cluster_hint(struct ward_error *err, const char *hint, ...)
{
	va_list ap;

	if (!err)
		return;
	va_start(ap, hint);
	vsnprintf(err->hint, sizeof(err->hint), hint, ap);
	va_end(ap);
	cluster_clean(err->hint);
}

int cluster_no_memory(struct ward_error *err)
{
	return cluster_fail(err, WARD_E_SYSTEM, "memory", "out of memory");
}
