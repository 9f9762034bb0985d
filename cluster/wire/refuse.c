/* SPDX-License-Identifier: Apache-2.0 */
#include "refuse.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cluster/base/error.h"

bool cluster_refuse(struct ward_error *err, const char *what, const char *rule, const char *why, ...)
{
	char text[sizeof(err->why)];
	va_list args;

	if (!err)
		return false;
	va_start(args, why);
	vsnprintf(text, sizeof(text), why, args);
	va_end(args);
	if (rule)
		cluster_fail(err, WARD_E_USAGE, what, "%.*s (%s)", (int)(sizeof(err->why) - 16), text, rule);
	else
		cluster_fail(err, WARD_E_SYSTEM, what, "%s", text);
	return false;
}

void cluster_text(const void *bytes, size_t n, char *text, size_t size)
{
	size_t kept = bytes ? n < size ? n : size - 1 : 0;

	if (!size)
		return;
	memcpy(text, bytes ? bytes : "", kept);
	text[kept] = 0;
	for (size_t i = 0; i < kept; i++)
		if (!text[i])
			text[i] = '?';
	cluster_clean(text);
}
