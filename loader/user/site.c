/*
 * From patterns to sites.
 *
 * A symbol gives a place in a file. The target may have mapped that place several times (V8 does, of its own file): each executable mapping
 * of it is a site. Aliases of one address make one site, called by the first name that matches. A site is patched at its entry, at its exits, or at both.
 */
#include "site.h"

#include "../error.h"
#include "body.h"
#include "demangle.h"
#include "inlined.h"
#include "jumps.h"
#include "points.h"

#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	FUNCTION_MAX = 1 << 20, /* code read at a time, to look for jumps */
	UNSIZED_MAX = 1 << 16,  /* a function whose symbol says no size */
	SITES_MAX = 1 << 20,
	PATCHES_MAX = 1 << 23,
};

static int unsupported(const char *text, const char *why, struct ward_error *err)
{
	wl_fail(err, WARD_E_USAGE, text, "%s", why);
	wl_hint(err, "a site is MODULE!FUNCTION, as in libc.so.6!read, perhaps followed by :entry, :return or :throw; or a tracepoint, MODULE!:PROVIDER:NAME");
	return WARD_E_USAGE;
}

static const char CATCHES[] = "__cxa_begin_catch";

enum { COLONS = 3 };

/* The colons that part a site, of which there may be more than there is room for. Those of C++ names stand in pairs, those of globs in brackets. */
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

static enum wl_where where_of(const char *function)
{
	const char *at[COLONS];
	unsigned n = find_colons(function, at);

	if (n == 2)
		return WL_POINT;
	if (n != 1)
		return WL_ANYWHERE;
	if (strcmp(at[0], ":entry") == 0)
		return WL_ENTRY;
	if (strcmp(at[0], ":throw") == 0)
		return WL_THROW;
	return strcmp(at[0], ":return") == 0 ? WL_RETURN : WL_ANYWHERE;
}

enum wl_where wl_pattern_where(const char *text)
{
	const char *bang = strchr(text, '!');

	return where_of(bang ? bang + 1 : text);
}

/* text is MODULE!…, and bang points to its exclamation mark. */
static int split(const char *text, const char *bang, struct wl_pattern *out, struct ward_error *err)
{
	const char *function = bang + 1, *at[COLONS], *end = function + strlen(function);
	unsigned n = find_colons(function, at);

	out->where = where_of(function);
	if (n > 2)
		return unsupported(text, "this is no site: it has too many colons", err);
	if (n == 1 && out->where == WL_ANYWHERE)
		return unsupported(text, "what stands behind its colon is not understood", err);
	if (out->where == WL_POINT) {
		const char *provider = at[0] + 1, *name = at[1] + 1;

		if (provider == name - 1 || name == end)
			return unsupported(text, "a tracepoint has a provider and a name", err);
		out->provider = strndup(provider, (size_t)(name - 1 - provider));
		out->name = strdup(name);
		out->function = at[0] > function ? strndup(function, (size_t)(at[0] - function)) : strdup("*");
	} else {
		out->function = strndup(function, (size_t)((n ? at[0] : end) - function));
	}
	out->module = strndup(text, (size_t)(bang - text));
	if (out->module && out->function && (out->where != WL_POINT || (out->provider && out->name)))
		return 0;
	wl_pattern_free(out);
	return wl_no_memory(err);
}

int wl_pattern_parse(const char *text, struct wl_pattern *out, struct ward_error *err)
{
	const char *bang = strchr(text, '!');

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
	return split(text, bang, out, err);
}

void wl_pattern_free(struct wl_pattern *pattern)
{
	free(pattern->module);
	free(pattern->function);
	free(pattern->provider);
	free(pattern->name);
	*pattern = (struct wl_pattern){0};
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

/* Index of the first site at or above the address; of the function and the tracepoint that stand at one, the function is first. */
static size_t lower_bound(const struct wl_sites *sites, uint64_t addr, bool is_point)
{
	size_t lo = 0, hi = sites->n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (sites->v[mid].addr < addr || (sites->v[mid].addr == addr && !sites->v[mid].point && is_point))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* What is wanted of a site, and by which of the module's entries. */
struct wish {
	uint16_t entry;
	bool exit, pairs, thrown;
	bool catches; /* nobody's: the site is a hook of ours */
};

static bool want_of(struct wl_site *site, struct wish wish)
{
	site->pairs |= wish.exit && wish.pairs;
	site->catches |= wish.catches;
	if (wish.catches)
		return true;
	if (wish.thrown && !want(&site->thrown, wish.entry))
		return false;
	return want(wish.exit ? &site->exit : &site->entry, wish.entry);
}

static void forget_site(struct wl_site *s)
{
	free(s->label);
	free(s->symbol);
	free(s->chosen);
	free(s->entry.v);
	free(s->exit.v);
	free(s->thrown.v);
	if (s->point)
		free(s->point->text);
	free(s->point);
}

/* The site at the address, made if it isn't there. `s` is consumed. */
static bool add_site(struct wl_sites *sites, struct wl_site s, struct wish wish)
{
	size_t at = lower_bound(sites, s.addr, s.point);

	if (at < sites->n && sites->v[at].addr == s.addr && !sites->v[at].point == !s.point) {
		forget_site(&s);
		return want_of(&sites->v[at], wish);
	}
	if (sites->n == sites->cap) {
		size_t cap = sites->cap ? sites->cap * 2 : 64;
		struct wl_site *v = cap > SITES_MAX ? NULL : realloc(sites->v, cap * sizeof(*v));

		if (!v) {
			forget_site(&s);
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

static bool maps_file(const struct wl_map *map, const struct wl_module *m, uint64_t offset)
{
	return map->exec && map->inode == m->first->inode && map->major == m->first->major && map->minor == m->first->minor && offset >= map->offset &&
	       offset - map->offset < map->end - map->start;
}

/* Where sites are looked for. */
struct where {
	const struct wl_process *p;
	const struct wl_maps *maps;
	struct wl_modules *modules;
};

/* The names of a site: "libc.so.6!read", and the symbol. False without memory. */
static bool name_site(struct wl_site *site, const char *module, const struct wl_symbol *name)
{
	int n;
	const char *shown = wl_name_shown(name, &n);

	if (asprintf(&site->label, "%s!%.*s", module, n, shown) < 0)
		site->label = NULL;
	site->symbol = name->readable ? strdup(name->name) : NULL;
	if (site->label && (!name->readable || site->symbol))
		return true;
	forget_site(site);
	return false;
}

/* What was chosen for an IFUNC. Returns how many functions that are, or -1. */
static long add_chosen(struct wl_sites *sites, const struct wl_module *m, size_t from, size_t to, const char *module, const struct wl_symbol *name,
	struct wish wish, const struct where *in)
{
	uint64_t chosen[WL_CHOSEN];
	size_t n;

	if (wl_bindings_read(&sites->bindings, in->p, in->modules))
		return -1;
	n = wl_chosen(&sites->bindings, m, in->maps, from, to, chosen);
	for (size_t i = 0; i < n; i++) {
		struct wl_site site = {.addr = chosen[i], .size = wl_chosen_size(m, in->maps, chosen[i])}; /* or what the unwind tables say */

		site.chosen = wl_chosen_text(&sites->bindings, m, in->maps, from, to, chosen[i]);
		if (!site.chosen || !name_site(&site, module, name) || !add_site(sites, site, wish))
			return -1;
	}
	return (long)n;
}

/* One address of a module, with the aliases symbols[from … to): at every place where it is mapped. */
static bool add_function(struct wl_sites *sites, const struct wl_module *m, size_t from, size_t to, const char *module,
	const struct wl_symbol *name, struct wish wish, const struct where *in)
{
	const struct wl_symbol *s = m->symbols;
	uint64_t offset = s[from].offset, next = to < m->n_symbols ? s[to].offset - offset : 0, size = 0;
	bool ifunc = false, part = true;
	long chosen;

	for (size_t i = from; i < to; i++) {
		size = s[i].size > size ? s[i].size : size;
		ifunc |= s[i].ifunc;
		part &= wl_name_is_part(s[i].name);
	}
	chosen = ifunc ? add_chosen(sites, m, from, to, module, name, wish, in) : 0;
	if (chosen)
		return chosen > 0;
	for (size_t i = 0; i < in->maps->n; i++) {
		const struct wl_map *map = &in->maps->v[i];
		struct wl_site site = {.size = size, .next = next, .ifunc = ifunc, .part = part};

		if (!maps_file(map, m, offset))
			continue;
		site.addr = map->start + (offset - map->offset);
		if (!name_site(&site, module, name) || !add_site(sites, site, wish))
			return false;
	}
	return true;
}

/* Which of two aliases to call a function by: read rather than __read. */
static bool plainer(const struct wl_symbol *s, const struct wl_symbol *than)
{
	return !than || strspn(s->name, "_") < strspn(than->name, "_");
}

static bool has_globs(const char *pattern)
{
	return strpbrk(pattern, "*?[\\") != NULL;
}

/* Is there a function of just this name, whatever globs mean by it? */
static bool is_a_name(const struct wl_module *m, const char *pattern)
{
	for (size_t i = 0; has_globs(pattern) && i < m->n_symbols; i++)
		if (wl_name_matches(&m->symbols[i], pattern, true))
			return true;
	return false;
}

/* It has no site; it is told of. */
static bool add_gone(struct wl_sites *sites, const char *module, const struct wl_inlined *in, struct wish wish)
{
	struct wl_gone *v = realloc(sites->gone, (sites->n_gone + 1) * sizeof(*v));
	struct wl_site named = {0};

	if (v)
		sites->gone = v;
	if (!v || !name_site(&named, module, &in->name))
		return false;
	v[sites->n_gone++] = (struct wl_gone){named.label, named.symbol, in->copies, wish.entry, wish.exit};
	return true;
}

/* One symbol's sites, wherever it is mapped. */
static void mark_inlined(struct wl_sites *sites, const struct wl_module *m, uint64_t offset, uint64_t copies, const struct wl_maps *maps)
{
	for (size_t i = 0; i < maps->n; i++) {
		const struct wl_map *map = &maps->v[i];
		uint64_t addr = map->start + (offset - map->offset);
		size_t at = maps_file(map, m, offset) ? lower_bound(sites, addr, false) : sites->n;

		if (at < sites->n && sites->v[at].addr == addr && !sites->v[at].point)
			sites->v[at].inlined = copies;
	}
}

/* Is it the symbol's description? A constructor has several symbols, and a description of its own one; that of a static function has no parameters. */
static bool is_same(const struct wl_symbol *s, const struct wl_symbol *described)
{
	size_t n = strlen(described->name);

	if (s->readable && described->readable)
		return strcmp(s->readable, described->readable) == 0;
	return s->readable ? wl_plain_length(s->readable) == n && strncmp(s->readable, described->name, n) == 0 : strcmp(s->name, described->name) == 0;
}

/* What the compiler has made copies of, of all functions of one name. False without memory. */
static bool add_inlined(struct wl_sites *sites, struct wl_module *m, const char *module, const char *name, struct wish wish, const struct wl_maps *maps)
{
	const struct wl_inlines *inlines;

	if (wl_module_inlines(m, name, &inlines))
		return false;
	for (size_t i = 0; i < inlines->n; i++) {
		const struct wl_inlined *in = &inlines->v[i];
		bool found = false;

		for (size_t k = 0; k < m->n_symbols; k++) {
			if (!is_same(&m->symbols[k], &in->name))
				continue;
			found = true;
			mark_inlined(sites, m, m->symbols[k].offset, in->copies, maps);
		}
		if (!found && !add_gone(sites, module, in, wish))
			return false;
	}
	return true;
}

/* `module` is the name that it is to be called by. */
static long add_module(
	struct wl_sites *sites, struct wl_module *m, const char *module, const char *glob, struct wish wish, const struct where *in)
{
	long matched = 0;
	bool literally;
	size_t to;

	if (wl_module_load_symbols(m))
		return -1;
	literally = is_a_name(m, glob);
	for (size_t from = 0; from < m->n_symbols; from = to) {
		const struct wl_symbol *name = NULL;

		for (to = from; to < m->n_symbols && m->symbols[to].offset == m->symbols[from].offset; to++)
			if (plainer(&m->symbols[to], name) && wl_name_matches(&m->symbols[to], glob, literally))
				name = &m->symbols[to];
		if (!name)
			continue;
		if (!add_function(sites, m, from, to, module, name, wish, in))
			return -1;
		matched++;
	}
	if ((literally || !has_globs(glob)) && !add_inlined(sites, m, module, glob, wish, in->maps))
		return -1;
	return matched;
}

/* One place of a tracepoint, mapped at `map`. Addresses in the target are as far from the file's as the nop's is. */
static bool add_point_at(struct wl_sites *sites, const struct wl_note *note, const struct wl_symbol *in, char *label, struct wish wish,
	const struct wl_map *map, const struct wl_maps *maps)
{
	struct wl_site site = {.addr = map->start + (note->offset - map->offset), .label = label, .point = calloc(1, sizeof(*site.point))};
	uint64_t bias = site.addr - note->address;
	const struct wl_map *data;

	if (!label || !site.point || !(site.point->text = strdup(note->text))) {
		forget_site(&site);
		return false;
	}
	site.point->n_args = note->n_args;
	memcpy(site.point->arg, note->arg, sizeof(note->arg));
	for (size_t i = 0; i < WL_POINT_ARGS; i++) {
		struct wl_operand *o = &site.point->arg[i];

		if (o->kind != WL_OP_VARIABLE)
			continue;
		o->value = (int64_t)((uint64_t)o->value + bias);
		data = wl_maps_find(maps, (uint64_t)o->value);
		if (!data || !data->read || data->end - (uint64_t)o->value < o->size)
			o->kind = WL_OP_UNKNOWN;
	}
	if (in) {
		site.point->start = site.addr - (note->offset - in->offset);
		site.point->size = in->size;
	}
	data = note->semaphore ? wl_maps_find(maps, note->semaphore + bias) : NULL;
	if (data && data->write && data->end - (note->semaphore + bias) >= 2)
		site.point->semaphore = note->semaphore + bias;
	else if (note->semaphore)
		site.entry.reason = "its semaphore isn't in memory that can be written";
	return add_site(sites, site, wish);
}

/* A module's tracepoints that match. */
static long add_points(struct wl_sites *sites, struct wl_module *m, const char *module, const struct wl_pattern *pattern, struct wish wish,
	const struct wl_maps *maps)
{
	long matched = 0;

	if (wl_module_load_notes(m) || (m->notes->n && wl_module_load_symbols(m)))
		return -1;
	for (size_t i = 0; i < m->notes->n; i++) {
		const struct wl_note *note = &m->notes->v[i];
		static const struct wl_symbol nowhere = {.name = ""};
		const struct wl_symbol *in = wl_module_function_at(m, note->offset);
		int length;
		const char *function = wl_name_shown(in ? in : &nowhere, &length);

		if (fnmatch(pattern->provider, note->provider, 0) != 0 || fnmatch(pattern->name, note->name, 0) != 0 ||
			!wl_name_matches(in ? in : &nowhere, pattern->function, false))
			continue;
		matched++;
		for (size_t k = 0; k < maps->n; k++) {
			char *label;

			if (!maps_file(&maps->v[k], m, note->offset))
				continue;
			if (asprintf(&label, "%s!%.*s:%s:%s", module, length, function, note->provider, note->name) < 0)
				label = NULL;
			if (!add_point_at(sites, note, in, label, wish, &maps->v[k], maps))
				return -1;
		}
	}
	return matched;
}

/* Where the module's C++ runtime, if it has one, is told that an exception has been caught. */
static bool add_catches(struct wl_sites *sites, struct wl_module *m, const struct where *in)
{
	const struct wish wish = {.catches = true};
	size_t to;

	if (wl_module_load_symbols(m))
		return false;
	for (size_t from = 0; from < m->n_symbols; from = to) {
		const struct wl_symbol *name = NULL;

		for (to = from; to < m->n_symbols && m->symbols[to].offset == m->symbols[from].offset; to++)
			if (strcspn(m->symbols[to].name, "@") == strlen(CATCHES) && strncmp(m->symbols[to].name, CATCHES, strlen(CATCHES)) == 0)
				name = &m->symbols[to];
		if (name && !add_function(sites, m, from, to, m->name, name, wish, in))
			return false;
	}
	return true;
}

long wl_sites_add(struct wl_sites *sites, const struct wl_pattern *pattern, uint16_t entry, const struct wl_process *p, const struct wl_maps *maps,
	struct wl_modules *modules)
{
	const struct where in = {p, maps, modules};
	bool thrown = pattern->where == WL_THROW;
	const struct wish wish = {entry, thrown || pattern->where == WL_RETURN, thrown || pattern->pairs, thrown, false};
	long matched = 0;

	for (size_t i = 0; i < modules->n; i++) {
		const char *name = wl_module_matches(&modules->v[i], pattern->module);
		long n = 0;

		if (name && pattern->where == WL_POINT)
			n = add_points(sites, &modules->v[i], name, pattern, wish, maps);
		else if (name)
			n = add_module(sites, &modules->v[i], name, pattern->function, wish, &in);

		if (n < 0)
			return -1;
		matched += n;
	}
	for (size_t i = 0; i < modules->n && thrown && matched; i++)
		if (!add_catches(sites, &modules->v[i], &in))
			return -1;
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

	if ((p->is_entry || s->point) && !s->entry.reason)
		s->entry.reason = why;
	if (s->point || (!p->d.exits && !(p->is_entry && s->pairs)))
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

bool wl_add_patch(struct wl_sites *sites, size_t site, const struct wl_displaced *d, bool is_entry)
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
	if (!wl_add_patch(sites, site, &d, false))
		return false;
	sites->patches[sites->n_patches - 1].is_cave = true;
	return true;
}

/* Where no symbol says how large the function is, the unwind tables may. */
static void find_size(struct wl_site *site, const struct wl_process *p, const struct wl_maps *maps, const struct wl_map *map)
{
	uint64_t frames = wl_frames_find(p, maps, map), start, end;

	if (frames && wl_frames_range(p, frames, site->addr, &start, &end) && start == site->addr && end <= map->end)
		site->size = end - start;
}

/* Read the function's code. NULL, or why it can't be looked at. */
static const char *read_function(
	struct wl_site *site, struct wl_function *f, uint8_t *buf, const struct wl_process *p, const struct wl_maps *maps)
{
	const struct wl_map *map = wl_maps_find(maps, site->addr);
	uint64_t room = map ? map->end - site->addr : 0;

	*f = (struct wl_function){.addr = site->addr, .code = buf, .next_known = site->next != 0, .next = site->next};
	if (site->ifunc)
		return "the symbol is a resolver (IFUNC), which chooses the function at load time, and nobody has called that yet, so which one it is isn't known";
	if (site->part)
		return "the symbol is a part of a function, which the compiler split off: it is jumped to, not called";
	if (!map || !map->exec)
		return "its code isn't mapped executable";
	if (!site->size && !site->next)
		find_size(site, p, maps, map);
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
	if (site->exit.reason == wl_never_returns && site->exit.n == site->thrown.n)
		site->exit.reason = NULL; /* an exception is how it is left */
	for (size_t k = 0; k < n && well; k++)
		well = wl_add_patch(sites, i, &patches[k], false) && (!patches[k].cave || add_cave(sites, i, &patches[k]));
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
	has_entry = site->entry.n || site->pairs || site->catches;
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
	return !has_entry || wl_add_patch(sites, i, &entry, true);
}

static bool check_point(struct wl_sites *sites, size_t i, const struct wl_piece *piece, uint8_t *buf, const struct wl_process *p, const struct wl_maps *maps)
{
	struct wl_site *site = &sites->v[i];
	const struct wl_map *map = wl_maps_find(maps, site->addr);
	struct wl_function f = {.addr = piece->start, .code = buf, .size = piece->end - piece->start, .frames = piece->frames};
	uint64_t room = map ? map->end - piece->start : 0;
	struct wl_displaced d;
	const char *why = piece->why;

	site->point->start = f.addr;
	site->point->size = f.size;
	f.available = f.size + ZYDIS_SLACK < room ? f.size + ZYDIS_SLACK : room;
	if (!why && !wl_process_read(p, f.addr, buf, f.available))
		why = "its code can't be read";
	if (!why)
		why = wl_point_place(&f, (size_t)(site->addr - f.addr), piece->kin, piece->n_kin, p, &d);
	if (!site->entry.reason)
		site->entry.reason = why;
	if (site->entry.reason)
		return true;
	site->is_call = d.is_call;
	return wl_add_patch(sites, i, &d, true) && (!d.cave || add_cave(sites, i, &d));
}

static bool check_points(struct wl_sites *sites, uint8_t *buf, const struct wl_process *p, const struct wl_maps *maps)
{
	struct wl_pieces pieces;
	bool well = wl_pieces_find(sites, p, maps, FUNCTION_MAX, &pieces) == 0;

	for (size_t i = 0; i < sites->n && well; i++)
		if (sites->v[i].point)
			well = check_point(sites, i, wl_piece_of(&pieces, &sites->v[i]), buf, p, maps);
	wl_pieces_free(&pieces);
	return well;
}

/* What is written into memory that is mapped shared, others see as well, and the file may keep. */
static void refuse_shared(struct wl_sites *sites, const struct wl_maps *maps)
{
	for (size_t i = 0; i < sites->n; i++) {
		const struct wl_map *m = wl_maps_find(maps, sites->v[i].addr);

		if (m && m->shared)
			sites->v[i].entry.reason = sites->v[i].exit.reason = "its code is mapped shared (MAP_SHARED): a patch would be in the file, or in other processes";
	}
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
			wl_patch_refuse(sites, p, "the bytes to be patched belong to another site as well");
		else
			last = p;
	}
}

static void order_patches(struct wl_sites *sites)
{
	if (sites->n_patches)
		qsort(sites->patches, sites->n_patches, sizeof(*sites->patches), by_address);
	refuse_overlaps(sites);
}

int wl_sites_check(struct wl_sites *sites, const struct wl_process *p, const struct wl_maps *maps)
{
	uint8_t *buf = malloc(FUNCTION_MAX + ZYDIS_SLACK);
	bool well = buf != NULL;
	int rc;

	for (size_t i = 0; i < sites->n && well; i++)
		well = sites->v[i].point || check_site(sites, i, buf, p, maps);
	well = well && check_points(sites, buf, p, maps);
	free(buf);
	if (!well)
		return ENOMEM;
	refuse_shared(sites, maps);
	order_patches(sites);
	wl_check_near_jumps(sites, p, maps);
	order_patches(sites);
	rc = wl_check_far_jumps(sites, p, maps);
	wl_sites_check_throws(sites);
	for (size_t i = 0; i < sites->n; i++)
		if (sites->v[i].exit.n && sites->v[i].exit.n == sites->v[i].thrown.n)
			sites->v[i].exit.reason = sites->v[i].thrown.reason; /* nothing else is wanted there */
	return rc;
}

void wl_sites_check_throws(struct wl_sites *sites)
{
	const char *why = "no C++ runtime was found that says when an exception is caught";

	for (size_t i = 0; i < sites->n && why; i++)
		if (sites->v[i].catches)
			why = NULL;
	for (size_t i = 0; i < sites->n && !why; i++)
		if (sites->v[i].catches && sites->v[i].entry.reason)
			why = "what the C++ runtime calls when an exception is caught can't be patched";
	for (size_t i = 0; i < sites->n; i++)
		if (sites->v[i].thrown.n)
			sites->v[i].thrown.reason = sites->v[i].exit.reason ? sites->v[i].exit.reason : why;
}

void wl_sites_free(struct wl_sites *sites)
{
	for (size_t i = 0; i < sites->n; i++)
		forget_site(&sites->v[i]);
	free(sites->v);
	for (size_t i = 0; i < sites->n_gone; i++) {
		free(sites->gone[i].label);
		free(sites->gone[i].symbol);
	}
	free(sites->gone);
	free(sites->patches);
	wl_bindings_free(&sites->bindings);
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

static const struct wl_symbol *nearest_function(const struct wl_module *m, const char *name)
{
	unsigned best = (unsigned)strlen(name) / 2 + 1;
	const struct wl_symbol *found = NULL;

	for (size_t i = 0; i < m->n_symbols; i++) {
		const struct wl_symbol *s = &m->symbols[i];
		char plain[64];
		unsigned d;

		snprintf(plain, sizeof(plain), "%.*s", s->readable && !strchr(name, '(') ? (int)wl_plain_length(s->readable) : INT_MAX, s->readable ? s->readable : s->name);
		d = unlike(name, plain);
		if (d < best) {
			best = d;
			found = s;
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

int wl_pattern_no_match(
	const char *text, const struct wl_pattern *pattern, const struct wl_sites *sites, struct wl_modules *modules, struct ward_error *err)
{
	const struct wl_module *m = NULL;
	const struct wl_symbol *near;
	const char *shown;
	char list[280];
	int length;

	for (size_t i = 0; i < modules->n && !m; i++)
		if (wl_module_matches(&modules->v[i], pattern->module))
			m = &modules->v[i];
	if (!m) {
		list_modules(modules, list, sizeof(list));
		wl_fail(err, WARD_E_TARGET, text, "the process has no module `%s`", pattern->module);
		wl_hint(err, "it has %s", list);
		return WARD_E_TARGET;
	}
	if (pattern->where == WL_POINT) {
		wl_fail(err, WARD_E_TARGET, text, "no tracepoint matches `%s:%s` in `%s`%s", pattern->provider, pattern->name, m->name,
			m->notes && m->notes->n ? "" : " (it has none)");
		wl_hint(err, "`ward list -p PID '*!:*:*'` shows the process's tracepoints");
		return WARD_E_TARGET;
	}
	if (sites->n_gone) {
		const struct wl_gone *gone = &sites->gone[sites->n_gone - 1];

		wl_fail(err, WARD_E_TARGET, gone->label, "it was inlined, %llu time%s, and nothing is left of it to be probed", (unsigned long long)gone->copies, gone->copies == 1 ? "" : "s");
		wl_hint(err, "probe the functions that it was inlined into, or build it with __attribute__((noinline))");
		return WARD_E_TARGET;
	}
	wl_fail(err, WARD_E_TARGET, text, "no function matches `%s` in `%s`%s", pattern->function, m->name,
		!m->stripped        ? ""
		: m->n_symbols == 0 ? " (it has no symbol table)"
				    : " (it has only the symbols that it exports)");
	near = nearest_function(m, pattern->function);
	shown = near ? wl_name_shown(near, &length) : NULL;
	if (near)
		wl_hint(err, "did you mean %s!%.*s?", m->name, length, shown);
	else if (m->stripped)
		wl_hint(err, "use a build that is not stripped, or a function of another module: `ward list` shows them");
	else
		wl_hint(err, "`ward list -p PID '%s!*'` shows its functions", m->name);
	return WARD_E_TARGET;
}
