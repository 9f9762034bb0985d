/*
 * Two files tell of the kernel's functions: /proc/kallsyms has names and addresses of all of them, available_filter_functions of tracefs the names of those whose first instruction the
 * function tracer can change. Static functions of one name are several in both; only where there are as many in the second as in the first is it known that each of them is meant.
 */
#include "symbols.h"

#include "../error.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK = 1 << 20 };

/* The whole of a file whose size isn't known before, with a zero byte behind it. NULL with errno. */
static char *read_whole(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t n = 0, room = 0;
	char *text = NULL;
	ssize_t got = fd < 0 ? -1 : 1;

	while (got > 0) {
		if (room - n < CHUNK) {
			char *more = realloc(text, room + 4 * CHUNK);

			if (!more) {
				errno = ENOMEM;
				got = -1;
				break;
			}
			text = more;
			room += 4 * CHUNK;
		}
		got = read(fd, text + n, room - n - 1);
		n += got > 0 ? (size_t)got : 0;
	}
	if (fd >= 0)
		close(fd);
	if (got < 0) {
		free(text);
		return NULL;
	}
	text[n] = 0;
	return text;
}

/* "name [module]", cut in two in place. */
static void split_module(char *rest, const char **name, const char **module)
{
	size_t n = strcspn(rest, " \t");
	char *open = strchr(rest + n, '[');

	*module = "";
	if (open) {
		*module = open + 1;
		open[strcspn(open, "]")] = 0;
	}
	rest[n] = 0;
	*name = rest;
}

static bool is_function(char type)
{
	return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

/* What isn't code of the kernel's own, or is ours. */
static bool is_foreign(const char *module)
{
	return strcmp(module, "bpf") == 0 || strncmp(module, "__builtin__", 11) == 0 || strcmp(module, "ward") == 0 || strcmp(module, "ward_arena") == 0;
}

static bool add(struct wl_ksyms *k, size_t *room, struct wl_ksym sym)
{
	if (k->n == *room) {
		size_t more = *room ? *room * 2 : 64;
		struct wl_ksym *v = reallocarray(k->v, more, sizeof(*v));

		if (!v)
			return false;
		k->v = v;
		*room = more;
	}
	k->v[k->n++] = sym;
	return true;
}

/* The next line of a text, which *at moves past. NULL at the end. */
static char *next_line(char **at)
{
	char *line = *at;
	size_t n = strcspn(line, "\n");

	if (!*line)
		return NULL;
	*at = line + n + (line[n] == '\n');
	line[n] = 0;
	return line;
}

/* Lines are "ffffffff81000000 T name\t[module]". Of all functions, or those of one name. *hidden: all addresses are zero. */
static bool parse_kallsyms(struct wl_ksyms *k, const char *only, bool *hidden)
{
	char *at = k->text, *line, *end;
	size_t room = 0;

	*hidden = true;
	while ((line = next_line(&at))) {
		struct wl_ksym sym = {.addr = strtoull(line, &end, 16)};

		if (end == line || end[0] != ' ' || !end[1] || end[2] != ' ')
			continue;
		*hidden &= sym.addr == 0;
		if (!is_function(end[1]))
			continue;
		split_module(end + 3, &sym.name, &sym.module);
		if (sym.addr && !is_foreign(sym.module) && (!only || strcmp(only, sym.name) == 0) && !add(k, &room, sym))
			return false;
	}
	return true;
}

static int by_address(const void *a, const void *b)
{
	const struct wl_ksym *x = a, *y = b;

	return x->addr != y->addr ? (x->addr > y->addr) - (x->addr < y->addr) : strcmp(x->name, y->name);
}

static int by_name(const void *a, const void *b)
{
	const struct wl_ksym *x = a, *y = b;
	int names = strcmp(x->name, y->name);

	return names ? names : strcmp(x->module, y->module);
}

/* First place in v[0 … n), in order of names, that isn't before `key`. */
static size_t lower_bound(const struct wl_ksym *v, size_t n, const struct wl_ksym *key)
{
	size_t lo = 0;

	while (n > 0) {
		size_t half = n / 2;

		if (by_name(&v[lo + half], key) < 0) {
			lo += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return lo;
}

/* How many of v, in order of names, are called so. */
static size_t count_named(const struct wl_ksym *v, size_t n, const struct wl_ksym *key, size_t *first)
{
	size_t i = *first = lower_bound(v, n, key);

	while (i < n && by_name(&v[i], key) == 0)
		i++;
	return i - *first;
}

/* `traced` are the names that the tracer can trace, in order; so are k's functions. */
static void give_reasons(struct wl_ksyms *k, const struct wl_ksym *traced, size_t n)
{
	size_t first, count;

	for (size_t i = 0; i < k->n; i += count) {
		size_t can = count_named(traced, n, &k->v[i], &first);

		for (count = 1; i + count < k->n && by_name(&k->v[i], &k->v[i + count]) == 0; count++)
			;
		for (size_t j = i; j < i + count && can < count; j++)
			k->v[j].reason = can ? "several functions have this name, and the kernel lets only some of them be traced"
					     : "the kernel doesn't let this function be traced: it was built without a place for it (notrace, inline assembly)";
	}
}

/* The tracer knows a function by one of its names; what is true of an address is true of all of them. k's functions are in order of addresses. */
static void share_reasons(struct wl_ksyms *k)
{
	size_t end;

	for (size_t i = 0; i < k->n; i = end) {
		bool can = false;

		for (end = i; end < k->n && k->v[end].addr == k->v[i].addr; end++)
			can |= !k->v[end].reason;
		for (size_t j = i; can && j < end; j++)
			k->v[j].reason = NULL;
	}
}

/* Which functions can be traced? Wants all that there are, and sorts them by address. False without memory. */
static bool check_traceable(struct wl_ksyms *k)
{
	struct wl_ksyms traced = {.text = read_whole("/sys/kernel/tracing/available_filter_functions")};
	size_t room = 0;
	char *at, *line;
	bool ok = true;

	if (!traced.text)
		traced.text = read_whole("/sys/kernel/debug/tracing/available_filter_functions");
	if (!traced.text)
		return errno != ENOMEM;
	for (at = traced.text; ok && (line = next_line(&at));) {
		struct wl_ksym sym = {0};

		split_module(line, &sym.name, &sym.module);
		ok = add(&traced, &room, sym);
	}
	if (ok && traced.n && k->n) {
		qsort(traced.v, traced.n, sizeof(*traced.v), by_name);
		qsort(k->v, k->n, sizeof(*k->v), by_name);
		give_reasons(k, traced.v, traced.n);
		qsort(k->v, k->n, sizeof(*k->v), by_address);
		share_reasons(k);
		k->checked = true;
	}
	wl_ksyms_free(&traced);
	return ok;
}

static void keep_matching(struct wl_ksyms *k, const char *glob)
{
	size_t n = 0;

	for (size_t i = 0; i < k->n; i++)
		if (fnmatch(glob, k->v[i].name, 0) == 0)
			k->v[n++] = k->v[i];
	k->n = n;
}

bool wl_is_glob(const char *name)
{
	return strpbrk(name, "*?[\\") != NULL;
}

int wl_ksyms_read(const char *glob, struct wl_ksyms *out, struct ward_error *err)
{
	bool hidden = false;

	*out = (struct wl_ksyms){.text = read_whole("/proc/kallsyms")};
	if (!out->text)
		return errno == ENOMEM ? wl_no_memory(err) : wl_fail(err, WARD_E_TARGET, "/proc/kallsyms", "%s", strerror(errno));
	if (!parse_kallsyms(out, wl_is_glob(glob) ? NULL : glob, &hidden) || (wl_is_glob(glob) && !check_traceable(out))) {
		wl_ksyms_free(out);
		return wl_no_memory(err);
	}
	if (hidden) {
		wl_ksyms_free(out);
		wl_fail(err, WARD_E_TARGET, "kernel", "it doesn't show the addresses of its functions");
		wl_hint(err, "run as root; /proc/sys/kernel/kptr_restrict must not be 2");
		return WARD_E_TARGET;
	}
	keep_matching(out, glob);
	if (out->n)
		qsort(out->v, out->n, sizeof(*out->v), by_address);
	return 0;
}

void wl_ksyms_free(struct wl_ksyms *k)
{
	free(k->v);
	free(k->text);
	*k = (struct wl_ksyms){0};
}
