/* SPDX-License-Identifier: Apache-2.0 */
#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct query_place query_place_of(const struct query_text *text, uint32_t at)
{
	struct query_place p = {.line = 1};
	uint32_t end;

	at = at < text->n ? at : text->n;
	for (uint32_t i = 0; i < at; i++)
		if (text->bytes[i] == '\n') {
			p.line++;
			p.begin = i + 1;
		}
	for (end = at; end < text->n && text->bytes[end] != '\n'; end++)
		;
	p.column = at - p.begin + 1;
	p.length = end - p.begin;
	return p;
}

void query_fail(struct query_error *err, struct query_span span, const char *hint, const char *format, ...)
{
	va_list ap;

	if (err->is_set)
		return;
	err->is_set = true;
	err->span = span;
	va_start(ap, format);
	vsnprintf(err->message, sizeof(err->message), format, ap);
	va_end(ap);
	snprintf(err->hint, sizeof(err->hint), "%s", hint ? hint : "");
}

/* The caret stands below the place: tabs stay tabs, and a character of several bytes is one column. */
static void print_caret(const char *line, uint32_t before, uint32_t n, FILE *file)
{
	fputs("      | ", file);
	for (uint32_t i = 0; i < before; i++)
		if (((unsigned char)line[i] & 0xc0) != 0x80)
			fputc(line[i] == '\t' ? '\t' : ' ', file);
	for (uint32_t i = 0; i < n || i == 0; i++)
		if (i == 0 || ((unsigned char)line[before + i] & 0xc0) != 0x80)
			fputc('^', file);
	fputc('\n', file);
}

static void print_line(const char *line, uint32_t n, FILE *file)
{
	for (uint32_t i = 0; i < n; i++)
		fputc((unsigned char)line[i] < ' ' && line[i] != '\t' ? '?' : line[i], file);
}

void query_error_print(const char *name, const char *text, size_t n, const struct query_error *err, FILE *file)
{
	const struct query_text t = {text, (uint32_t)n};
	struct query_place p = query_place_of(&t, err->span.at);
	uint32_t left = p.length + 1 - p.column, wide = err->span.n < left ? err->span.n : left;

	fprintf(file, "%s:%u:%u: error: ", name, p.line, p.column);
	print_line(err->message, (uint32_t)strlen(err->message), file);
	fprintf(file, "\n%5u | ", p.line);
	print_line(text + p.begin, p.length, file);
	fputc('\n', file);
	print_caret(text + p.begin, p.column - 1, wide, file);
	if (err->hint[0]) {
		fputs("hint: ", file);
		print_line(err->hint, (uint32_t)strlen(err->hint), file);
		fputc('\n', file);
	}
}

enum { WORD = 32 };

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* How many letters must be put in, left out, changed or swapped with the next one, to make one of the other. */
static unsigned distance(const char *a, const char *b)
{
	unsigned d[WORD + 1][WORD + 1];
	size_t n = strlen(a), m = strlen(b);

	if (n > WORD || m > WORD)
		return WORD;
	for (size_t i = 0; i <= n; i++)
		for (size_t k = 0; k <= m; k++) {
			unsigned best = i ? k ? d[i - 1][k - 1] + (lower(a[i - 1]) != lower(b[k - 1])) : (unsigned)i
					  : (unsigned)k;

			if (i && k && d[i - 1][k] + 1 < best)
				best = d[i - 1][k] + 1;
			if (i && k && d[i][k - 1] + 1 < best)
				best = d[i][k - 1] + 1;
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1] &&
				d[i - 2][k - 2] + 1 < best)
				best = d[i - 2][k - 2] + 1;
			d[i][k] = best;
		}
	return d[n][m];
}

const char *query_closest(const char *name, const char *const *names, size_t n)
{
	unsigned least = strlen(name) < 4 ? 2 : 3; /* so many are too many */
	const char *closest = NULL;

	for (size_t i = 0; i < n; i++) {
		unsigned d = distance(name, names[i]);

		if (d < least) {
			least = d;
			closest = names[i];
		}
	}
	return closest;
}
