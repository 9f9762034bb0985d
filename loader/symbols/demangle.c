/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Demangling.
 *
 * Compilers write a C++ or Rust function's name, its namespaces and the types of its parameters into one symbol,
 * "_ZN2ns5Class6methodEi". GNU libiberty decodes it: "ns::Class::method(int)". A symbol of a few bytes can stand for
 * a text of any length, and broken symbols have made versions of that library loop or crash. So it runs in the
 * sandbox, once for each module. The names come back one after the other, each terminated by a zero, and empty where
 * a symbol has none. If a symbol kills the child, that symbol and those behind it keep their mangled names.
 */
#include "demangle.h"

#include "verifier/sandbox/sandbox.h"

#include <errno.h>
#include <fnmatch.h>
#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>

enum {
	CPU_TIME = 5000000 /* microseconds */,
	MEMORY_ROOM = 256 << 20,
	TEXT_MAX = 1 << 30,
	NAME_MAX_LENGTH = 16384, /* of one readable name: the symbol says more than that */
	BATCH = 1 << 16,
};

static bool is_mangled(const char *name)
{
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R');
}

struct job {
	const struct wl_symbol *symbols;
	size_t from, n;
};

char *wl_demangled(const char *name)
{
	size_t n = strcspn(name, "@");
	char *own = name[n] ? strndup(name, n) : NULL;
	char *text = !is_mangled(name) || (name[n] && !own)
			     ? NULL
			     : cplus_demangle(own ? own : name, DMGL_PARAMS | DMGL_ANSI | DMGL_RET_DROP | DMGL_AUTO);

	free(own);
	if (text && strlen(text) < NAME_MAX_LENGTH)
		return text;
	free(text);
	return NULL;
}

/* In the child. */
static bool demangle_all(void *arg, int fd)
{
	const struct job *job = arg;
	char *batch = malloc(BATCH + NAME_MAX_LENGTH);
	size_t used = 0;
	bool well = batch != NULL;

	for (size_t i = job->from; i < job->n && well; i++) {
		char *text;

		if (!is_mangled(job->symbols[i].name))
			continue;
		text = wl_demangled(job->symbols[i].name);
		used += (size_t)(stpcpy(batch + used, text ? text : "") - (batch + used)) + 1;
		free(text);
		if (used >= BATCH) {
			well = sandbox_write(fd, batch, used);
			used = 0;
		}
	}
	return well && sandbox_write(fd, batch, used);
}

/* The next mangled name at or behind i, or n. */
static size_t next_mangled(const struct wl_symbol *symbols, size_t i, size_t n)
{
	while (i < n && !is_mangled(symbols[i].name))
		i++;
	return i;
}

int wl_demangle(struct wl_symbol *symbols, size_t n, char **text)
{
	struct job job = {symbols, next_mangled(symbols, 0, n), n};
	struct sandbox sandbox = {demangle_all, &job, CPU_TIME, MEMORY_ROOM, TEXT_MAX};
	uint8_t *out;
	long bytes;

	*text = NULL;
	if (job.from == n)
		return 0;
	bytes = sandbox_run(&sandbox, &out);
	if (bytes < 0)
		return errno == ENOMEM ? ENOMEM : 0; /* without a process to ask they stay as they are */
	*text = (char *)out;
	for (size_t i = job.from, at = 0; i < n && at < (size_t)bytes; i = next_mangled(symbols, i + 1, n)) {
		size_t length = strnlen((char *)out + at, (size_t)bytes - at);

		if (length == (size_t)bytes - at)
			break; /* cut off */
		symbols[i].readable = length ? (char *)out + at : NULL;
		at += length + 1;
	}
	return 0;
}

/* The parenthesis that the one at text[end] closes, or end if there is none. */
static size_t opening_of(const char *text, size_t end)
{
	size_t depth = 0;

	for (size_t i = end + 1; i-- > 0;) {
		depth += text[i] == ')';
		depth -= text[i] == '(';
		if (depth == 0)
			return i;
	}
	return end;
}

static size_t length_without(const char *text, size_t n, const char *suffix)
{
	size_t k = strlen(suffix);

	return n > k && memcmp(text + n - k, suffix, k) == 0 ? n - k : n;
}

/*
 * Behind the parameters stand what a method says of its object, and the compiler's words for copies of a function:
 * "f(int) const [clone .isra.0]".
 */
size_t wl_plain_length(const char *readable)
{
	static const char *const behind[] = {" const", " volatile", " ", "&", "&"}; /* from the last */
	size_t all = strlen(readable), n = all, start;
	const char *clone = strstr(readable, " [clone ");

	if (clone)
		n = (size_t)(clone - readable);
	start = n;
	for (size_t i = sizeof(behind) / sizeof(behind[0]); i-- > 0;)
		n = length_without(readable, n, behind[i]);
	if (n == 0 || readable[n - 1] != ')')
		return start;
	n = opening_of(readable, n - 1);
	return n && readable[n] == '(' ? n : start;
}

/* Equal but for blanks? */
static bool same_text(const char *a, size_t n, const char *b)
{
	const char *end = a + n;

	for (;; a++, b++) {
		while (a < end && *a == ' ')
			a++;
		while (*b == ' ')
			b++;
		if (a == end || !*b)
			return a == end && !*b;
		if (*a != *b)
			return false;
	}
}

/* The text without blanks. */
static char *squeezed_text(const char *text, size_t n)
{
	char *out = malloc(n + 1), *to = out;

	for (size_t i = 0; out && i < n; i++)
		if (text[i] != ' ')
			*to++ = text[i];
	if (out)
		*to = 0;
	return out;
}

static bool glob_matches(const char *glob, const char *text, size_t n)
{
	char *own = squeezed_text(text, n), *pattern = squeezed_text(glob, strlen(glob));
	bool match = own && pattern && fnmatch(pattern, own, 0) == 0;

	free(own);
	free(pattern);
	return match;
}

/* Symbol tables have "memcpy@@GLIBC_2.14" too. */
static bool symbol_matches(const char *name, const char *glob)
{
	size_t n = strcspn(name, "@");
	char *plain;
	bool match;

	if (!name[n])
		return fnmatch(glob, name, 0) == 0;
	plain = strndup(name, n);
	match = plain && fnmatch(glob, plain, 0) == 0;
	free(plain);
	return match;
}

bool wl_name_is_part(const char *name)
{
	const char *cold = strstr(name, ".cold");

	return cold && (cold[5] == 0 || cold[5] == '.');
}

static bool matches_name(const struct wl_symbol *s, const char *pattern, bool literally)
{
	size_t all, plain;

	if (!literally && symbol_matches(s->name, pattern))
		return true;
	if (!s->readable)
		return false;
	all = strlen(s->readable);
	plain = wl_plain_length(s->readable);
	if (literally ? same_text(s->readable, all, pattern) : glob_matches(pattern, s->readable, all))
		return true;
	if (plain == all || wl_name_is_part(s->name))
		return false;
	return literally ? same_text(s->readable, plain, pattern) : glob_matches(pattern, s->readable, plain);
}

static bool is_meant(const char *glob, const char *which)
{
	return which && fnmatch(glob, which, 0) == 0;
}

/* NAME@WHICH; NAME@@VERSION is the same. */
bool wl_name_matches(const struct wl_symbol *s, const char *pattern, bool literally)
{
	const char *at = strrchr(pattern, '@');
	size_t n = at ? (size_t)(at - pattern) : 0;
	char *name;
	bool match;

	if (matches_name(s, pattern, literally))
		return true;
	if (!n || (!is_meant(at + 1, s->which) && !is_meant(at + 1, s->version) && !is_meant(at + 1, s->file)))
		return false;
	name = strndup(pattern, n - (pattern[n - 1] == '@'));
	match = name && matches_name(s, name, literally);
	free(name);
	return match;
}

struct wl_shown wl_name_shown(const struct wl_symbol *s)
{
	return (struct wl_shown){s->readable ? s->readable : s->name,
		(int)(s->readable ? strlen(s->readable) : strcspn(s->name, "@")), s->which ? "@" : "",
		s->which ? s->which : ""};
}
