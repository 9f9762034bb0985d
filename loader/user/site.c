/*
 * From patterns to sites.
 *
 * A symbol gives a place in a file. The target may have mapped that place several times (V8 does, of its own file): each executable mapping
 * of it is a site. Aliases of one address make one site, called by the first name that matches.
 */
#include "site.h"

#include "../error.h"
#include "jumps.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	FUNCTION_MAX = 1 << 20, /* code read at a time, to look for jumps */
	UNSIZED_MAX = 1 << 16,  /* a function whose symbol says no size */
	SITES_MAX = 1 << 20,
};

static bool ends_with(const char *s, size_t n, const char *tail)
{
	size_t t = strlen(tail);

	return n > t && memcmp(s + n - t, tail, t) == 0;
}

static int unsupported(const char *text, const char *why, struct ward_error *err)
{
	wl_fail(err, WARD_E_USAGE, text, "%s", why);
	wl_hint(err, "a site is MODULE!FUNCTION, as in libc.so.6!read");
	return WARD_E_USAGE;
}

int wl_pattern_parse(const char *text, struct wl_pattern *out, struct ward_error *err)
{
	const char *bang = strchr(text, '!');
	const char *function;
	size_t n;

	*out = (struct wl_pattern){0};
	if (!*text) {
		wl_fail(err, WARD_E_USAGE, "site", "the probe names no site");
		wl_hint(err, "give one, as in -f libc.so.6!read");
		return WARD_E_USAGE;
	}
	if (strncmp(text, "kernel!", 7) == 0 || strncmp(text, "kernel:", 7) == 0)
		return unsupported(text, "this is a site in the kernel, not in a process", err);
	if (!bang || bang == text || !bang[1])
		return unsupported(text, "this is no site", err);
	function = bang + 1;
	n = strlen(function);
	if (ends_with(function, n, ":entry"))
		n -= strlen(":entry");
	else if (ends_with(function, n, ":return"))
		return unsupported(text, "return sites are not supported in this version", err);
	else if (ends_with(function, n, ":throw"))
		return unsupported(text, "throw sites are not supported in this version", err);
	out->module = strndup(text, (size_t)(bang - text));
	out->function = strndup(function, n);
	if (out->module && out->function)
		return 0;
	wl_pattern_free(out);
	return wl_no_memory(err);
}

void wl_pattern_free(struct wl_pattern *pattern)
{
	free(pattern->module);
	free(pattern->function);
	*pattern = (struct wl_pattern){0};
}

/* Symbol tables have "memcpy@@GLIBC_2.14" too: the version is no part of the name. */
static bool name_matches(const char *name, const char *glob)
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

static bool want(struct wl_site *site, uint16_t entry)
{
	uint16_t *entries;

	if (site->n_entries && site->entries[site->n_entries - 1] == entry)
		return true;
	entries = realloc(site->entries, (site->n_entries + 1) * sizeof(*entries));
	if (!entries)
		return false;
	site->entries = entries;
	site->entries[site->n_entries++] = entry;
	return true;
}

/* Index of the first site at or above the address. */
static size_t lower_bound(const struct wl_sites *sites, uint64_t addr)
{
	size_t lo = 0, hi = sites->n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (sites->v[mid].addr < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* The site at the address, made if it isn't there. `s` is consumed. */
static bool add_site(struct wl_sites *sites, struct wl_site s, uint16_t entry)
{
	size_t at = lower_bound(sites, s.addr);

	if (at < sites->n && sites->v[at].addr == s.addr) {
		free(s.label);
		return want(&sites->v[at], entry);
	}
	if (sites->n == sites->cap) {
		size_t cap = sites->cap ? sites->cap * 2 : 64;
		struct wl_site *v = cap > SITES_MAX ? NULL : realloc(sites->v, cap * sizeof(*v));

		if (!v) {
			free(s.label);
			return false;
		}
		sites->v = v;
		sites->cap = cap;
	}
	memmove(&sites->v[at + 1], &sites->v[at], (sites->n - at) * sizeof(s));
	sites->v[at] = s;
	sites->n++;
	return want(&sites->v[at], entry);
}

/* One address of a module, with the aliases symbols[from … to): at every place where it is mapped. */
static bool add_function(struct wl_sites *sites, const struct wl_module *m, size_t from, size_t to, const char *module, const char *name,
	uint16_t entry, const struct wl_maps *maps)
{
	const struct wl_symbol *s = m->symbols;
	uint64_t offset = s[from].offset, next = to < m->n_symbols ? s[to].offset - offset : 0, size = 0;
	bool ifunc = false;

	for (size_t i = from; i < to; i++) {
		size = s[i].size > size ? s[i].size : size;
		ifunc |= s[i].ifunc;
	}
	for (size_t i = 0; i < maps->n; i++) {
		const struct wl_map *map = &maps->v[i];
		struct wl_site site = {.size = size, .next = next, .ifunc = ifunc};

		if (!map->exec || map->inode != m->first->inode || map->major != m->first->major || map->minor != m->first->minor ||
			offset < map->offset || offset - map->offset >= map->end - map->start)
			continue;
		site.addr = map->start + (offset - map->offset);
		if (asprintf(&site.label, "%s!%.*s", module, (int)strcspn(name, "@"), name) < 0 || !add_site(sites, site, entry))
			return false;
	}
	return true;
}

/* Which of two aliases to call a function by: read rather than __read. */
static bool plainer(const char *name, const char *than)
{
	return !than || strspn(name, "_") < strspn(than, "_");
}

/* `module` is the name that it is to be called by. */
static long add_module(
	struct wl_sites *sites, struct wl_module *m, const char *module, const char *glob, uint16_t entry, const struct wl_maps *maps)
{
	long matched = 0;
	size_t to;

	if (wl_module_load_symbols(m))
		return -1;
	for (size_t from = 0; from < m->n_symbols; from = to) {
		const char *name = NULL;

		for (to = from; to < m->n_symbols && m->symbols[to].offset == m->symbols[from].offset; to++)
			if (plainer(m->symbols[to].name, name) && name_matches(m->symbols[to].name, glob))
				name = m->symbols[to].name;
		if (!name)
			continue;
		if (!add_function(sites, m, from, to, module, name, entry, maps))
			return -1;
		matched++;
	}
	return matched;
}

long wl_sites_add(
	struct wl_sites *sites, const struct wl_pattern *pattern, uint16_t entry, const struct wl_maps *maps, struct wl_modules *modules)
{
	long matched = 0;

	for (size_t i = 0; i < modules->n; i++) {
		const char *name = wl_module_matches(&modules->v[i], pattern->module);
		long n = name ? add_module(sites, &modules->v[i], name, pattern->function, entry, maps) : 0;

		if (n < 0)
			return -1;
		matched += n;
	}
	return matched;
}

/* Bytes of code to look at: what the symbol says, or up to the next one. */
static uint64_t function_size(const struct wl_site *site, uint64_t room)
{
	uint64_t size = site->size;

	if (!size)
		size = site->next && site->next < UNSIZED_MAX ? site->next : UNSIZED_MAX;
	return size < room ? size : room;
}

static const char *check_site(struct wl_site *site, const struct wl_process *p, const struct wl_maps *maps, uint8_t *buf)
{
	const struct wl_map *map = wl_maps_find(maps, site->addr);
	struct wl_function f = {.addr = site->addr, .code = buf, .next_known = site->next != 0, .next = site->next};
	uint64_t room = map ? map->end - site->addr : 0;
	const char *why;

	if (site->ifunc)
		return "the symbol is a resolver (IFUNC), which chooses the function at load time: name the function that it chose";
	if (!map || !map->exec)
		return "its code isn't mapped executable";
	f.size = function_size(site, room);
	if (f.size > FUNCTION_MAX)
		return "the function is larger than 1 MiB";
	f.available = f.size + ZYDIS_SLACK < room ? f.size + ZYDIS_SLACK : room;
	if (!wl_process_read(p, site->addr, buf, f.available))
		return "its code can't be read";
	why = wl_displace(&f, &site->d);
	return why ? why : wl_check_tables(&f, &site->d, p);
}

int wl_sites_check(struct wl_sites *sites, const struct wl_process *p, const struct wl_maps *maps)
{
	uint8_t *buf = malloc(FUNCTION_MAX + ZYDIS_SLACK);

	if (!buf)
		return ENOMEM;
	for (size_t i = 0; i < sites->n; i++)
		sites->v[i].reason = check_site(&sites->v[i], p, maps, buf);
	free(buf);
	return wl_check_far_jumps(sites, p, maps);
}

void wl_sites_free(struct wl_sites *sites)
{
	for (size_t i = 0; i < sites->n; i++) {
		free(sites->v[i].label);
		free(sites->v[i].entries);
	}
	free(sites->v);
	*sites = (struct wl_sites){0};
}

/* How unlike two names are: edit distance, over at most 63 bytes. */
static unsigned unlike(const char *a, const char *b)
{
	unsigned row[64];
	size_t n = strnlen(b, 63);

	for (size_t j = 0; j <= n; j++)
		row[j] = (unsigned)j;
	for (size_t i = 0; a[i] && i < 63; i++) {
		unsigned diagonal = row[0];

		row[0] = (unsigned)i + 1;
		for (size_t j = 0; j < n; j++) {
			unsigned best = diagonal + (a[i] != b[j]);

			diagonal = row[j + 1];
			best = best < row[j] + 1 ? best : row[j] + 1;
			row[j + 1] = best < diagonal + 1 ? best : diagonal + 1;
		}
	}
	return row[n];
}

static const char *nearest_function(const struct wl_module *m, const char *name)
{
	unsigned best = (unsigned)strlen(name) / 2 + 1;
	const char *found = NULL;

	for (size_t i = 0; i < m->n_symbols; i++) {
		unsigned d = unlike(name, m->symbols[i].name);

		if (d < best) {
			best = d;
			found = m->symbols[i].name;
		}
	}
	return found;
}

static void list_modules(const struct wl_modules *modules, char *out, size_t size)
{
	size_t n = 0;

	out[0] = 0;
	for (size_t i = 0; i < modules->n && n < size; i++)
		n += (size_t)snprintf(out + n, size - n, "%s%s", i ? ", " : "", modules->v[i].name);
}

int wl_pattern_no_match(const char *text, const struct wl_pattern *pattern, struct wl_modules *modules, struct ward_error *err)
{
	const struct wl_module *m = NULL;
	const char *near;
	char list[280];

	for (size_t i = 0; i < modules->n && !m; i++)
		if (wl_module_matches(&modules->v[i], pattern->module))
			m = &modules->v[i];
	if (!m) {
		list_modules(modules, list, sizeof(list));
		wl_fail(err, WARD_E_TARGET, text, "the process has no module `%s`", pattern->module);
		wl_hint(err, "it has %s", list);
		return WARD_E_TARGET;
	}
	wl_fail(err, WARD_E_TARGET, text, "no function matches `%s` in `%s`%s", pattern->function, m->name,
		!m->stripped        ? ""
		: m->n_symbols == 0 ? " (it has no symbol table)"
				    : " (it has only the symbols that it exports)");
	near = nearest_function(m, pattern->function);
	if (near)
		wl_hint(err, "did you mean %s!%.*s?", m->name, (int)strcspn(near, "@"), near);
	else if (m->stripped)
		wl_hint(err, "use a build that is not stripped, or a function of another module: `ward list` shows them");
	else
		wl_hint(err, "`ward list -p PID '%s!*'` shows its functions", m->name);
	return WARD_E_TARGET;
}
