/* SPDX-License-Identifier: Apache-2.0 */
/* Print errors: a line "ward: what: why", and a line with a hint. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "verifier/tool/report.h"

/* A copy on one line, or NULL without memory. */
static char *clean_line(const char *s)
{
	char *copy = strdup(s);
	for (char *p = copy; p && *p; p++)
		if (*p == '\n' || *p == '\t' || *p == '\r')
			*p = ' ';
	char *clean = copy ? text_clean(copy) : NULL;
	free(copy);
	return clean;
}

void cli_print_clean(FILE *file, const char *s)
{
	char *clean = clean_line(s);
	fputs(clean ? clean : "(no memory to show this)", file);
	free(clean);
}

void cli_clean_text(char *text, size_t size, const char *s)
{
	char *clean = clean_line(s);
	size_t n = clean ? strlen(clean) : 0;
	if (n >= size) /* not within a character */
		for (n = size - 1; n && (clean[n] & 0xc0) == 0x80; n--)
			;
	memcpy(text, clean ? clean : "", n);
	text[n] = 0;
	free(clean);
}

static void print_lines(const char *what, const char *why, const char *hint)
{
	fflush(stdout);
	fputs("ward: ", stderr);
	if (what && *what) {
		cli_print_clean(stderr, what);
		fputs(": ", stderr);
	}
	cli_print_clean(stderr, why);
	fputs("\nhint: ", stderr);
	cli_print_clean(stderr, hint);
	fputc('\n', stderr);
}

int cli_error(int status, const char *what, const char *hint, const char *why, ...)
{
	char text[1024];
	va_list args;
	va_start(args, why);
	vsnprintf(text, sizeof(text), why, args);
	va_end(args);
	print_lines(what, text, hint);
	return status;
}

int cli_library_error(const struct ward_error *err)
{
	int status = CLI_USAGE;
	if (err->status == WARD_E_REJECTED)
		status = CLI_REJECTED;
	else if (err->status == WARD_E_TARGET)
		status = CLI_TARGET;
	return cli_error(status, err->what, *err->hint ? err->hint : "see ward help", "%s", err->why);
}

int cli_usage(const struct cli_command *command, const char *why, ...)
{
	char text[1024], hint[64];
	va_list args;
	va_start(args, why);
	vsnprintf(text, sizeof(text), why, args);
	va_end(args);
	snprintf(hint, sizeof(hint), "see ward %s --help", command->name);
	print_lines(command->name, text, hint);
	return CLI_USAGE;
}
