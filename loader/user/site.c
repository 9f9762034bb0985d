/*
 * From patterns to sites.
 *
 * A symbol gives a place in a file. The target may have mapped that place several times (V8 does, of its own file): each executable mapping
 * of it is a site. Aliases of one address make one site, called by the first name that matches. A site is patched at its entry, at its exits, or at both.
 */
#include "site.h"

#include "../error.h"
#include "body.h"
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
	PATCHES_MAX = 1 << 23,
};

static bool ends_with(const char *s, size_t n, const char *tail)
{
	size_t t = strlen(tail);

	return n > t && memcmp(s + n - t, tail, t) == 0;
}

static int unsupported(const char *text, const char *why, struct ward_error *err)
{
	wl_fail(err, WARD_E_USAGE, text, "%s", why);
	wl_hint(err, "a site is MODULE!FUNCTION, as in libc.so.6!read, perhaps followed by :entry or :return");
	return WARD_E_USAGE;
}

int wl_pattern_parse(const char *text, struct wl_pattern *out, struct ward_error *err)
{
	const char *bang = strchr(text, '!');
	const char *function;
	size_t n;

	*out = (struct wl_pattern){0};
	if (!*text || *text == ':') {
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
	if (ends_with(function, n, ":entry")) {
		n -= strlen(":entry");
		out->where = WL_ENTRY;
	} else if (ends_with(function, n, ":return")) {
		n -= strlen(":return");
		out->where = WL_RETURN;
	} else if (ends_with(function, n, ":throw")) {
		return unsupported(text, "throw sites are not supported in this version", err);
	}
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

static bool want(struct wl_wanted *w, uint16_t entry)
{
	uint16_t *v;

	if (w->n && w->v[w->n - 1] == entry)
		return true;
	v = realloc(w->v, (w->n + 1) * sizeof(*v));
	if (!v)
		return false;
	w->v = v;
	w->v[w->n++] = entry;
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

/* What is wanted of a site, and by which of the module's entries. */
struct wish {
	uint16_t entry;
	bool exit, pairs;
};

static bool want_of(struct wl_site *site, struct wish wish)
{
	site->pairs |= wish.exit && wish.pairs;
	return want(wish.exit ? &site->exit : &site->entry, wish.entry);
}

/* The site at the address, made if it isn't there. `s` is consumed. */
static bool add_site(struct wl_sites *sites, struct wl_site s, struct wish wish)
{
	size_t at = lower_bound(sites, s.addr);

	if (at < sites->n && sites->v[at].addr == s.addr) {
		free(s.label);
		return want_of(&sites->v[at], wish);
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
	return want_of(&sites->v[at], wish);
}

/* gcc and LLVM call the parts that they split off so. Jumps lead to them, with the frame of the function in place or not: they have no entry and no return. */
static bool names_part(const char *name)
{
	const char *cold = strstr(name, ".cold");

	return cold && (cold[5] == 0 || cold[5] == '.');
}

/* One address of a module, with the aliases symbols[from … to): at every place where it is mapped. */
static bool add_function(struct wl_sites *sites, const struct wl_module *m, size_t from, size_t to, const char *module, const char *name,
	struct wish wish, const struct wl_maps *maps)
{
	const struct wl_symbol *s = m->symbols;
	uint64_t offset = s[from].offset, next = to < m->n_symbols ? s[to].offset - offset : 0, size = 0;
	bool ifunc = false, part = true;

	for (size_t i = from; i < to; i++) {
		size = s[i].size > size ? s[i].size : size;
		ifunc |= s[i].ifunc;
		part &= names_part(s[i].name);
	}
	for (size_t i = 0; i < maps->n; i++) {
		const struct wl_map *map = &maps->v[i];
		struct wl_site site = {.size = size, .next = next, .ifunc = ifunc, .part = part};

		if (!map->exec || map->inode != m->first->inode || map->major != m->first->major || map->minor != m->first->minor ||
			offset < map->offset || offset - map->offset >= map->end - map->start)
			continue;
		site.addr = map->start + (offset - map->offset);
		if (asprintf(&site.label, "%s!%.*s", module, (int)strcspn(name, "@"), name) < 0 || !add_site(sites, site, wish))
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
	struct wl_sites *sites, struct wl_module *m, const char *module, const char *glob, struct wish wish, const struct wl_maps *maps)
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
		if (!add_function(sites, m, from, to, module, name, wish, maps))
			return -1;
		matched++;
	}
	return matched;
}

long wl_sites_add(
	struct wl_sites *sites, const struct wl_pattern *pattern, uint16_t entry, const struct wl_maps *maps, struct wl_modules *modules)
{
	const struct wish wish = {entry, pattern->where == WL_RETURN, pattern->pairs};
	long matched = 0;

	for (size_t i = 0; i < modules->n; i++) {
		const char *name = wl_module_matches(&modules->v[i], pattern->module);
		long n = name ? add_module(sites, &modules->v[i], name, pattern->function, wish, maps) : 0;

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

void wl_patch_refuse(struct wl_sites *sites, const struct wl_patch *p, const char *why)
{
	struct wl_site *s = &sites->v[p->site];

	if (p->is_entry && !s->entry.reason)
		s->entry.reason = why;
	if (!p->d.exits && !(p->is_entry && s->pairs))
		return;
	if (!s->exit.reason)
		s->exit.reason = why;
	/* The stub of a patch that is both calls both kinds of probes. */
	if (s->combined && !s->entry.reason)
		s->entry.reason = why;
}

struct wl_patch *wl_patch_at(const struct wl_sites *sites, uint64_t addr)
{
	size_t lo = 0, hi = sites->n_patches;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (sites->patches[mid].d.addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? &sites->patches[lo - 1] : NULL;
}

static bool add_patch(struct wl_sites *sites, size_t site, const struct wl_displaced *d, bool is_entry)
{
	if (sites->n_patches == sites->patches_cap) {
		size_t cap = sites->patches_cap ? sites->patches_cap * 2 : 64;
		struct wl_patch *v = cap > PATCHES_MAX ? NULL : realloc(sites->patches, cap * sizeof(*v));

		if (!v)
			return false;
		sites->patches = v;
		sites->patches_cap = cap;
	}
	sites->patches[sites->n_patches++] = (struct wl_patch){.d = *d, .site = site, .is_entry = is_entry};
	return true;
}

static bool add_cave(struct wl_sites *sites, size_t site, const struct wl_displaced *of)
{
	struct wl_displaced d = {.addr = of->cave, .len = WL_JUMP_SIZE, .exits = 1};

	memcpy(d.bytes, of->cave_bytes, WL_JUMP_SIZE);
	if (!add_patch(sites, site, &d, false))
		return false;
	sites->patches[sites->n_patches - 1].is_cave = true;
	return true;
}

/* Read the function's code. NULL, or why it can't be looked at. */
static const char *read_function(
	const struct wl_site *site, struct wl_function *f, uint8_t *buf, const struct wl_process *p, const struct wl_maps *maps)
{
	const struct wl_map *map = wl_maps_find(maps, site->addr);
	uint64_t room = map ? map->end - site->addr : 0;

	*f = (struct wl_function){.addr = site->addr, .code = buf, .next_known = site->next != 0, .next = site->next};
	if (site->ifunc)
		return "the symbol is a resolver (IFUNC), which chooses the function at load time: name the function that it chose";
	if (site->part)
		return "the symbol is a part of a function, which the compiler split off: it is jumped to, not called";
	if (!map || !map->exec)
		return "its code isn't mapped executable";
	f->size = function_size(site, room);
	if (f->size > FUNCTION_MAX)
		return "the function is larger than 1 MiB";
	if (site->exit.n)
		f->frames = wl_frames_find(p, maps, map);
	f->available = f->size + ZYDIS_SLACK < room ? f->size + ZYDIS_SLACK : room;
	return wl_process_read(p, site->addr, buf, f->available) ? NULL : "its code can't be read";
}

/* The exits' patches. False without memory. */
static bool check_exits(struct wl_sites *sites, size_t i, const struct wl_function *f, const struct wl_process *p, struct wl_displaced *entry)
{
	struct wl_site *site = &sites->v[i];
	struct wl_displaced *patches;
	size_t n;
	bool well = true;

	if (!site->size) {
		site->exit.reason = "its symbol says no size, so its exits can't be known";
		return true;
	}
	site->exit.reason = wl_body_exits(f, p, entry, &patches, &n, &site->tail, &site->parts);
	for (size_t k = 0; k < n && well; k++)
		well = add_patch(sites, i, &patches[k], false) && (!patches[k].cave || add_cave(sites, i, &patches[k]));
	free(patches);
	site->combined = entry && entry->exits;
	if (site->combined && site->exit.reason)
		entry->exits = 0;
	site->n_exits = (unsigned)n + (unsigned)__builtin_popcount(entry ? entry->exits : 0);
	return well;
}

/* False without memory. */
static bool check_site(struct wl_sites *sites, size_t i, uint8_t *buf, const struct wl_process *p, const struct wl_maps *maps)
{
	struct wl_site *site = &sites->v[i];
	struct wl_displaced entry;
	struct wl_function f;
	const char *why = read_function(site, &f, buf, p, maps);
	bool has_entry;

	if (why) {
		site->entry.reason = site->exit.reason = why;
		return true;
	}
	has_entry = site->entry.n || site->pairs;
	if (has_entry) {
		why = wl_displace(&f, &entry);
		site->entry.reason = why ? why : wl_check_tables(&f, &entry, p);
		site->is_call = entry.is_call;
		has_entry = !site->entry.reason;
	}
	if (site->pairs && !has_entry)
		site->exit.reason = site->entry.reason;
	else if (site->exit.n && !check_exits(sites, i, &f, p, has_entry ? &entry : NULL))
		return false;
	return !has_entry || add_patch(sites, i, &entry, true);
}

static int by_address(const void *a, const void *b)
{
	const struct wl_patch *x = a, *y = b;

	return x->d.addr < y->d.addr ? -1 : x->d.addr > y->d.addr;
}

/* Functions that overlap, as their symbols have it, must not be patched twice at one place. */
static void refuse_overlaps(struct wl_sites *sites)
{
	const struct wl_patch *last = NULL;

	for (size_t i = 0; i < sites->n_patches; i++) {
		const struct wl_patch *p = &sites->patches[i];

		if (!wl_patch_wanted(sites, p))
			continue;
		if (last && last->d.addr + last->d.len > p->d.addr)
			wl_patch_refuse(sites, p, "the bytes to be patched belong to another function as well");
		else
			last = p;
	}
}

int wl_sites_check(struct wl_sites *sites, const struct wl_process *p, const struct wl_maps *maps)
{
	uint8_t *buf = malloc(FUNCTION_MAX + ZYDIS_SLACK);
	bool well = buf != NULL;

	for (size_t i = 0; i < sites->n && well; i++)
		well = check_site(sites, i, buf, p, maps);
	free(buf);
	if (!well)
		return ENOMEM;
	if (sites->n_patches)
		qsort(sites->patches, sites->n_patches, sizeof(*sites->patches), by_address);
	refuse_overlaps(sites);
	wl_check_near_jumps(sites, p);
	return wl_check_far_jumps(sites, p, maps);
}

void wl_sites_free(struct wl_sites *sites)
{
	for (size_t i = 0; i < sites->n; i++) {
		free(sites->v[i].label);
		free(sites->v[i].entry.v);
		free(sites->v[i].exit.v);
	}
	free(sites->v);
	free(sites->patches);
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
