/* SPDX-License-Identifier: Apache-2.0 */
#include "error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void wl_clear(struct ward_error *err)
{
	if (err)
		memset(err, 0, sizeof(*err));
}

/* Errors. Names in them come from hostile files and command lines, so each is made one line of printable text. */
static void make_printable(char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < 0x20 || *s == 0x7f)
			*s = '?';
}

/* What doesn't fit ends behind a whole word, and with dots. */
static void print_words(char *text, size_t size, const char *format, va_list ap)
{
	int n = vsnprintf(text, size, format, ap);
	char *end = text + size - sizeof("..."), *blank = end;
	if (n < 0 || (size_t)n < size)
		return;
	while (blank > text + size / 2 && *blank != ' ')
		blank--;
	strcpy(*blank == ' ' ? blank : end, "...");
}

int wl_fail(struct ward_error *err, int status, const char *what, const char *why, ...)
{
	va_list ap;

	if (!err)
		return status;
	err->status = status;
	err->hint[0] = 0;
	snprintf(err->what, sizeof(err->what), "%s", what);
	va_start(ap, why);
	print_words(err->why, sizeof(err->why), why, ap);
	va_end(ap);
	if (!*err->why) /* what it was made from is empty */
		snprintf(err->why, sizeof(err->why), "it failed, and the reason isn't known");
	make_printable(err->what);
	make_printable(err->why);
	return status;
}

int wl_said(int rc, struct ward_error *err)
{
	return rc && err && !err->status ? wl_fail(err, rc, "ward", "%s", "") : rc;
}

void wl_hint(struct ward_error *err, const char *hint, ...)
{
	va_list ap;

	if (!err)
		return;
	va_start(ap, hint);
	print_words(err->hint, sizeof(err->hint), hint, ap);
	va_end(ap);
	make_printable(err->hint);
}

int wl_missing(struct ward_error *err, const char *function, const char *argument)
{
	return wl_fail(err, WARD_E_USAGE, function, "%s is missing", argument);
}

int wl_no_memory(struct ward_error *err)
{
	return wl_fail(err, WARD_E_SYSTEM, "memory", "out of memory");
}
