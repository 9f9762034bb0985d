/* SPDX-License-Identifier: Apache-2.0 */
/* Parsing the pattern of a probe's site, such as "libc.so.6!str*:return". */
#include "pattern.h"

#include "loader/base/error.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int pattern_unsupported(const char *text, const char *why, struct ward_error *err)
{
	wl_fail(err, WARD_E_USAGE, text, "%s", why);
	wl_hint(err, "a site is MODULE!FUNCTION, as in libc.so.6!read, perhaps followed by :entry, :return or :throw; "
		     "or a tracepoint, MODULE!:PROVIDER:NAME; or an instruction, MODULE!FUNCTION+OFFSET");
	return WARD_E_USAGE;
}

enum { COLONS = 3 };

/*
 * The colons that part a site, of which there may be more than there is room for. Those of C++ names stand in pairs,
 * those of globs in brackets.
 */
static unsigned find_colons(const char *function, const char **at)
{
	unsigned n = 0;

	for (const char *p = function; *p; p++) {
		if (*p != ':')
			continue;
		if (p[1] == ':')
			p++;
		else if (p == function || (p[-1] != '[' && p[1] != ']')) {
			if (n < COLONS)
				at[n] = p;
			n++;
		}
	}
	return n;
}

/* A number as C has it, without octal ones: it ends at `end`. */
static bool number_read(const char *text, const char *end, uint64_t *out)
{
	bool hex = text[0] == '0' && text[1] == 'x';
	const char *digits = text + (hex ? 2 : 0);

	if (digits == end || strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789") < (size_t)(end - digits))
		return false;
	errno = 0;
	*out = strtoull(digits, NULL, hex ? 16 : 10);
	return errno == 0;
}

/*
 * Where the name ends if the text, up to `end`, is FUNCTION+OFFSET or 0xADDRESS; NULL if it is neither. The name of an
 * address is empty.
 */
static const char *name_end(const char *function, const char *end, uint64_t *offset)
{
	const char *plus = end;

	if (strncmp(function, "0x", 2) == 0 && number_read(function, end, offset))
		return function;
	while (plus > function && *plus != '+')
		plus--;
	return plus > function && number_read(plus + 1, end, offset) ? plus : NULL;
}

static enum wl_where where_of(const char *function)
{
	const char *at[COLONS];
	unsigned n = find_colons(function, at);
	uint64_t offset;

	if (n == 2)
		return WL_POINT;
	if (n == 0 && name_end(function, function + strlen(function), &offset))
		return WL_INSN;
	if (n != 1)
		return WL_ANYWHERE;
	if (strcmp(at[0], ":entry") == 0)
		return WL_ENTRY;
	if (strcmp(at[0], ":throw") == 0)
		return WL_THROW;
	return strcmp(at[0], ":return") == 0 ? WL_RETURN : WL_ANYWHERE;
}

/* The exclamation mark between module and function; one in a module's name has a backslash before it. */
static const char *pattern_bang(const char *text)
{
	const char *bang = strchr(text, '!');

	while (bang && bang > text && bang[-1] == '\\')
		bang = strchr(bang + 1, '!');
	return bang;
}

enum wl_where wl_pattern_where(const char *text)
{
	const char *bang = pattern_bang(text);

	return where_of(bang ? bang + 1 : text);
}

/* text is MODULE!…, and bang points to its exclamation mark. */
static int pattern_split(const char *text, const char *bang, struct wl_pattern *out, struct ward_error *err)
{
	const char *function = bang + 1, *at[COLONS], *end = function + strlen(function), *named = end;
	unsigned n = find_colons(function, at);

	out->where = where_of(function);
	if (n > 2)
		return pattern_unsupported(text, "this isn't a site: it has too many colons", err);
	if (n == 1 && out->where == WL_ANYWHERE)
		return pattern_unsupported(text, "the text behind its colon isn't known", err);
	if (n == 1 && name_end(function, at[0], &out->offset))
		return pattern_unsupported(text, "an instruction has no entry and no return", err);
	if (out->where == WL_POINT) {
		const char *provider = at[0] + 1, *name = at[1] + 1;

		if (provider == name - 1 || name == end)
			return pattern_unsupported(text, "a tracepoint has a provider and a name", err);
		out->provider = strndup(provider, (size_t)(name - 1 - provider));
		out->name = strdup(name);
		out->function = at[0] > function ? strndup(function, (size_t)(at[0] - function)) : strdup("*");
	} else {
		if (out->where == WL_INSN)
			named = name_end(function, end, &out->offset);
		out->is_address = named == function;
		out->function = strndup(function, (size_t)((n ? at[0] : named) - function));
	}
	out->module = strndup(text, (size_t)(bang - text));
	if (out->module && out->function && (out->where != WL_POINT || (out->provider && out->name)))
		return 0;
	wl_pattern_free(out);
	return wl_no_memory(err);
}

int wl_pattern_parse(const char *text, struct wl_pattern *out, struct ward_error *err)
{
	const char *bang = pattern_bang(text);

	*out = (struct wl_pattern){0};
	if (!*text || *text == ':') {
		wl_fail(err, WARD_E_USAGE, "site", "the probe names no site");
		wl_hint(err, "give one, as in -f libc.so.6!read");
		return WARD_E_USAGE;
	}
	if (strncmp(text, "kernel!", 7) == 0 || strncmp(text, "kernel:", 7) == 0)
		return pattern_unsupported(text, "this is a site in the kernel, not in a process", err);
	if (!bang || bang == text || !bang[1])
		return pattern_unsupported(text, "this isn't a site", err);
	return pattern_split(text, bang, out, err);
}

char *wl_pattern_escape(const char *module)
{
	char *out = malloc(2 * strlen(module) + 1), *to = out;

	for (const char *p = module; out && *p; p++) {
		if (*p == '!' || *p == '\\')
			*to++ = '\\';
		*to++ = *p;
	}
	if (out)
		*to = 0;
	return out;
}

void wl_pattern_free(struct wl_pattern *pattern)
{
	free(pattern->module);
	free(pattern->function);
	free(pattern->provider);
	free(pattern->name);
	*pattern = (struct wl_pattern){0};
}
