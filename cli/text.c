/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts that a probe has copied from its target, which may hold any bytes. Nothing is lost of them, and no terminal
 * acts on them: for people, what isn't printable is written as in C (\t, \x1b, \u202e), and so is the backslash; for
 * programs, JSON has its own escapes.
 */
#define _GNU_SOURCE
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "verifier/tool/report.h"

/* One character, or one byte that is none, as it is shown. */
static void escape_character(char to[16], const char *s, size_t n, uint32_t c)
{
	static const char plain[] = "\t\n\r\\", letters[] = "tnr\\";
	const char *known = c && c < 0x80 ? strchr(plain, (int)c) : NULL;
	if (known)
		snprintf(to, 16, "\\%c", letters[known - plain]);
	else if (c == UINT32_MAX || (c < 0x80 && !text_is_harmless(c)))
		snprintf(to, 16, "\\x%02x", (unsigned char)*s);
	else if (!text_is_harmless(c))
		snprintf(to, 16, "\\u%04x", c);
	else
		snprintf(to, 16, "%.*s", (int)n, s);
}

void cli_escape_text(char *text, size_t size, const char *s)
{
	size_t at = 0, n;
	char shown[16];
	for (; *s; s += n) {
		uint32_t c = text_next(s, &n);
		escape_character(shown, s, n, c);
		size_t length = strlen(shown);
		if (at + length + (s[n] ? strlen("...") : 0) >= size)
			break;
		memcpy(text + at, shown, length);
		at += length;
	}
	text[at] = 0;
	if (*s && at + strlen("...") < size)
		strcpy(text + at, "...");
}

/* ---- JSON ---- */

bool cli_is_utf8(const char *s)
{
	for (size_t n; *s; s += n)
		if (text_next(s, &n) == UINT32_MAX)
			return false;
	return true;
}

struct json_object *cli_json_string(const char *s)
{
	char *copy = malloc(3 * strlen(s) + 1), *to = copy;
	if (!copy)
		return json_object_new_string("");
	for (size_t n; *s; s += n) {
		bool is_character = text_next(s, &n) != UINT32_MAX;
		to = mempcpy(to, is_character ? s : "\xef\xbf\xbd", is_character ? n : 3);
	}
	struct json_object *o = json_object_new_string_len(copy, (int)(to - copy));
	free(copy);
	return o;
}

struct json_object *cli_json_bytes(const char *s)
{
	static const char digits[] = "0123456789abcdef";
	size_t n = strlen(s);
	char *hex = malloc(2 * n + 1);
	for (size_t i = 0; hex && i < n; i++) {
		hex[2 * i] = digits[(unsigned char)s[i] >> 4];
		hex[2 * i + 1] = digits[s[i] & 15];
	}
	struct json_object *o = json_object_new_string_len(hex ? hex : "", hex ? (int)(2 * n) : 0);
	free(hex);
	return o;
}

char *cli_json_escape(const char *line)
{
	char *copy = malloc(6 * strlen(line) + 1), *to = copy;
	if (!copy)
		return NULL;
	for (size_t n; *line; line += n) {
		uint32_t c = text_next(line, &n);
		if (text_is_harmless(c))
			to = mempcpy(to, line, n);
		else
			to += sprintf(to, "\\u%04x", c & 0xffff); /* all of these have four digits at most */
	}
	*to = 0;
	return copy;
}
