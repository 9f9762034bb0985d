/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From patterns to sites.
 *
 * A symbol is a place in a file. The target may have mapped that place several times (V8 maps its own file again);
 * each executable mapping of it is a site. Aliases of one address are one site, with the first name that matches.
 */
#include "site.h"

#include "same_call.h"
#include "loader/symbols/demangle.h"
#include "loader/symbols/inlined.h"
#include "loader/process/protection_keys.h"
#include "loader/symbols/moved_code.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SITES_MAX = 1 << 20, INSN_MAX = 15, UNSIZED_MAX = 1 << 16 };

/* Of the C library, the C++ runtime and what unwinds stacks for it. */
static const struct {
	const char *name;
	enum wl_hook hook;
} HOOKS[] = {
	{"__cxa_begin_catch", WL_HOOK_CAUGHT}, {"_Unwind_RaiseException", WL_HOOK_RAISED},
	{"_Unwind_Resume_or_Rethrow", WL_HOOK_RAISED},
	{"longjmp", WL_HOOK_JUMPS}, /* and siglongjmp, which is the same */
	{"__longjmp_chk", WL_HOOK_JUMPS}, {"pthread_exit", WL_HOOK_ENDS},
	{"_Unwind_ForcedUnwind", WL_HOOK_ENDS}, /* as when it is cancelled */
};

static bool entry_want(struct wl_wanted *w, uint16_t entry)
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

bool wl_deny(struct wl_wanted *w, uint16_t entry, const char *why)
{
	struct wl_denied *denied;
	size_t kept = 0;

	for (size_t i = 0; i < w->n_denied; i++)
		if (w->denied[i].entry == entry)
			return true;
	denied = realloc(w->denied, (w->n_denied + 1) * sizeof(*denied));
	if (!denied)
		return false;
	w->denied = denied;
	w->denied[w->n_denied++] = (struct wl_denied){entry, why};
	for (size_t i = 0; i < w->n; i++)
		if (w->v[i] != entry)
			w->v[kept++] = w->v[i];
	w->n = kept;
	return true;
}

const char *wl_site_lacks(const struct wl_site *s)
{
	const struct wl_wanted *const all[] = {&s->entry, &s->exit, &s->thrown};

	for (size_t i = 0; i < 3; i++)
		if (all[i]->n && all[i]->reason)
			return all[i]->reason;
	for (size_t i = 0; i < 3; i++)
		if (all[i]->n_denied)
			return all[i]->denied[0].reason;
	return NULL;
}

/*
 * Index of the first site at or above the address; of the function and the tracepoint that stand at one, the function
 * is first.
 */
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

/* What the probes want of a site, and which of the module's entries want it. */
struct wish {
	uint16_t entry;
	bool exit, pairs, by_sp, thrown;
	enum wl_hook hook;       /* no probe's: the site is a hook of Ward itself */
	enum wl_watched watched; /* likewise */
	bool by_name;            /* the pattern names one function */
	bool insn;               /* an instruction at this offset from where the function begins: */
	uint64_t offset;
};

/*
 * What is unknown at a Go function's return. A call is identified by the address of its return address
 * (call_frames.S), but the runtime moves a goroutine's stack when it grows.
 */
static const char *lacks_in_go(struct wish wish)
{
	if (wish.thrown)
		return "no C++ exception leaves a Go function";
	if (wish.pairs)
		return "a probe reads ev->arg or ev->elapsed, which aren't known where a Go function returns";
	return wish.by_sp ? "a probe reads ev->sp, which isn't the same at both ends of a Go function's call" : NULL;
}

static bool want_of(struct wl_site *site, struct wish wish)
{
	const char *why = site->go && wish.exit ? lacks_in_go(wish) : NULL;

	if (why)
		return wl_deny(wish.thrown ? &site->thrown : &site->exit, wish.entry, why);
	site->pairs |= wish.exit && wish.pairs;
	if (wish.hook)
		site->hook = wish.hook;
	if (wish.watched)
		site->watched = wish.watched;
	if (wish.hook || wish.watched)
		return true;
	if (wish.thrown && !entry_want(&site->thrown, wish.entry))
		return false;
	return entry_want(wish.exit ? &site->exit : &site->entry, wish.entry);
}

static void forget_site(struct wl_site *s)
{
	free(s->label);
	free(s->symbol);
	free(s->chosen);
	free(s->elsewhere);
	wl_aliases_free(&s->also);
	free(s->entry.v);
	free(s->entry.denied);
	free(s->exit.v);
	free(s->exit.denied);
	free(s->thrown.v);
	free(s->thrown.denied);
	if (s->point)
		free(s->point->text);
	free(s->point);
}

/* A tracepoint where there is a site of an instruction already: `s` gets what was known of that. */
static void name_point(struct wl_site *site, struct wl_site *s)
{
	struct wl_site insn = *site;

	if (!s->point || !s->point->text || site->point->text)
		return;
	site->label = s->label;
	site->symbol = s->symbol;
	site->point = s->point;
	site->entry.reason = s->entry.reason;
	s->label = insn.label;
	s->symbol = insn.symbol;
	s->point = insn.point;
}

/* The site at the address, made if it isn't there. `s` is consumed. */
static bool add_site(struct wl_sites *sites, struct wl_site s, struct wish wish)
{
	size_t at = lower_bound(sites, s.addr, s.point);

	if (at < sites->n && sites->v[at].addr == s.addr && !sites->v[at].point == !s.point) {
		name_point(&sites->v[at], &s);
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
	return map->exec && map->inode == m->first->inode && map->major == m->first->major &&
	       map->minor == m->first->minor && offset >= map->offset && offset - map->offset < map->end - map->start;
}

/* Where sites are looked for. */
struct where {
	const struct wl_process *p;
	const struct wl_maps *maps;
	struct wl_modules *modules;
	struct wl_moved_page *page;
};

/* The names of a site: "libc.so.6!read", and the symbol. False without memory. */
static bool name_site(struct wl_site *site, const char *module, const struct wl_symbol *name)
{
	struct wl_shown shown = wl_name_shown(name);
	char *escaped = strchr(module, '!') ? wl_pattern_escape(module) : NULL;

	if (asprintf(&site->label, "%s!%.*s%s%s", escaped ? escaped : module, shown.length, shown.name, shown.mark,
		    shown.which) < 0)
		site->label = NULL;
	free(escaped);
	site->symbol = name->readable ? strdup(name->name) : NULL;
	if (site->label && (!name->readable || site->symbol))
		return true;
	forget_site(site);
	return false;
}

/* The same, and its other names if they are asked for, of the symbols [from … to) at its place in the module. */
static bool name_fully(struct wl_site *site, const struct wl_sites *sites, const struct wl_module *m, size_t from,
	size_t to, const char *module, const struct wl_symbol *name)
{
	if (!name_site(site, module, name))
		return false;
	if (!sites->all_names || wl_aliases_find(&m->symbols[from], to - from, name, &site->also))
		return true;
	forget_site(site);
	return false;
}

/* What was chosen for an IFUNC. Returns how many functions that are, or -1. */
static long add_ifunc_targets(struct wl_sites *sites, const struct wl_module *m, size_t from, size_t to,
	const char *module, const struct wl_symbol *name, struct wish wish, const struct where *in)
{
	uint64_t chosen[WL_IFUNC_TARGETS];
	size_t n;

	if (wl_bindings_read(&sites->bindings, in->p, in->modules))
		return -1;
	n = wl_ifunc_targets(&sites->bindings, m, in->maps, from, to, chosen);
	for (size_t i = 0; i < n; i++) {
		/* or what the unwind tables say */
		struct wl_site site = {.addr = chosen[i], .size = wl_ifunc_target_size(m, in->maps, chosen[i])};

		site.chosen = wl_ifunc_text(&sites->bindings, m, in->maps, from, to, chosen[i]);
		if (!site.chosen || !name_fully(&site, sites, m, from, to, module, name) ||
			!add_site(sites, site, wish))
			return -1;
	}
	return (long)n;
}

/* A function whose code isn't mapped. Its site has the address that the code would have. */
static bool add_lost(struct wl_sites *sites, const struct wl_module *m, uint64_t offset, const char *module,
	const struct wl_symbol *name, struct wish wish)
{
	struct wl_site site = {.addr = m->first->start + (offset - m->first->offset),
		.lost = "its code is no longer mapped where the file was"};

	return wish.hook || wish.watched || (name_site(&site, module, name) && add_site(sites, site, wish));
}

/* One address of a module, with the aliases symbols[from … to): at every place where it is mapped. */
static bool add_function(struct wl_sites *sites, struct wl_module *m, size_t from, size_t to, const char *module,
	const struct wl_symbol *name, struct wish wish, const struct where *in)
{
	const struct wl_symbol *s = m->symbols;
	uint64_t offset = s[from].offset, next = to < m->n_symbols ? s[to].offset - offset : 0, size = 0;
	bool ifunc = false, part = true, go = wl_module_is_go(m, offset), mapped = false;
	long chosen;

	for (size_t i = from; i < to; i++) {
		size = s[i].size > size ? s[i].size : size;
		ifunc |= s[i].ifunc;
		part &= wl_name_is_part(s[i].name);
	}
	chosen = ifunc ? add_ifunc_targets(sites, m, from, to, module, name, wish, in) : 0;
	if (chosen)
		return chosen > 0;
	for (size_t i = 0; i < in->maps->n; i++) {
		const struct wl_map *map = &in->maps->v[i];
		struct wl_site site = {.size = size, .next = next, .ifunc = ifunc, .part = part, .go = go};

		if (!maps_file(map, m, offset))
			continue;
		mapped = true;
		if (map->old && !wish.hook && !wish.watched)
			continue;
		site.addr = map->start + (offset - map->offset);
		if (map->moved && !wl_is_text(in->p, m->elf.fd, site.addr, offset, size, in->page))
			site.lost = "other memory is where its code was, with other contents than the file";
		sites->go |= go;
		if (wish.by_name && !go)
			site.elsewhere = wl_same_calls(m, offset, size);
		if (!name_fully(&site, sites, m, from, to, module, name) || !add_site(sites, site, wish))
			return false;
	}
	return mapped || add_lost(sites, m, offset, module, name, wish);
}

/*
 * The instruction at an offset in the file, wherever that is mapped. `within` is the function that has it, or NULL.
 * `label` is consumed.
 */
static bool add_insn(struct wl_sites *sites, struct wl_module *m, uint64_t offset, const struct wl_symbol *within,
	char *label, struct wish wish, const struct where *in)
{
	bool well = label != NULL;

	for (size_t i = 0; i < in->maps->n && well; i++) {
		const struct wl_map *map = &in->maps->v[i];
		struct wl_site site = {.go = wl_module_is_go(m, offset)};

		if (!maps_file(map, m, offset) || map->old)
			continue;
		site.addr = map->start + (offset - map->offset);
		site.label = strdup(label);
		site.point = calloc(1, sizeof(*site.point));
		if (within && site.point) {
			site.point->start = site.addr - (offset - within->offset);
			site.point->size = within->size;
		}
		if (map->moved && !wl_is_text(in->p, m->elf.fd, site.addr, offset, INSN_MAX, in->page))
			site.entry.reason = "other memory is where its code was, with other contents than the file";
		well = site.label && site.point;
		if (well)
			well = add_site(sites, site, wish);
		else
			forget_site(&site);
	}
	free(label);
	return well;
}

static const struct wl_symbol *longest_alias(const struct wl_module *m, size_t from, size_t to)
{
	const struct wl_symbol *longest = &m->symbols[from];

	for (size_t i = from; i < to; i++)
		longest = m->symbols[i].size > longest->size ? &m->symbols[i] : longest;
	return longest;
}

/* Is the offset in the function with the aliases symbols[from … to)? A resolver has none: its name means another. */
static bool has_offset(const struct wl_module *m, size_t from, size_t to, uint64_t offset)
{
	uint64_t size = longest_alias(m, from, to)->size;
	bool ifunc = false;

	for (size_t i = from; i < to; i++)
		ifunc |= m->symbols[i].ifunc;
	return !ifunc && offset < (size ? size : UNSIZED_MAX);
}

/* The same at an offset in a function, which has the aliases symbols[from … to). */
static bool add_insn_of(struct wl_sites *sites, struct wl_module *m, size_t from, size_t to, const char *module,
	const struct wl_symbol *name, struct wish wish, const struct where *in)
{
	const struct wl_symbol *within = longest_alias(m, from, to);
	struct wl_site named = {0};
	char *label;

	if (!name_site(&named, module, name))
		return false;
	if (asprintf(&label, "%s+%#llx", named.label, (unsigned long long)wish.offset) < 0)
		label = NULL;
	forget_site(&named);
	return add_insn(sites, m, within->offset + wish.offset, within, label, wish, in);
}

/* The instruction at an address of the module's file. Returns how many there are in the file, or -1. */
static long add_address(struct wl_sites *sites, struct wl_module *m, const char *module, uint64_t address,
	struct wish wish, const struct where *in)
{
	uint64_t offset;
	char *label, *escaped;

	if (!wl_elf_code_offset(&m->elf, address, &offset))
		return 0;
	if (wl_module_load_symbols(m))
		return -1;
	escaped = wl_pattern_escape(module);
	if (!escaped || asprintf(&label, "%s!%#llx", escaped, (unsigned long long)address) < 0)
		label = NULL;
	free(escaped);
	return add_insn(sites, m, offset, wl_module_function_at(m, offset), label, wish, in) ? 1 : -1;
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

/* It has no site; it is only reported. */
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
static void mark_inlined(
	struct wl_sites *sites, const struct wl_module *m, uint64_t offset, uint64_t copies, const struct wl_maps *maps)
{
	for (size_t i = 0; i < maps->n; i++) {
		const struct wl_map *map = &maps->v[i];
		uint64_t addr = map->start + (offset - map->offset);
		size_t at = maps_file(map, m, offset) ? lower_bound(sites, addr, false) : sites->n;

		if (at < sites->n && sites->v[at].addr == addr && !sites->v[at].point)
			sites->v[at].inlined = copies;
	}
}

/*
 * Is it the symbol's description? A constructor has several symbols, and a description of its own one; that of a static
 * function has no parameters.
 */
static bool is_same(const struct wl_symbol *s, const struct wl_symbol *described)
{
	size_t n = strlen(described->name);

	if (s->readable && described->readable)
		return strcmp(s->readable, described->readable) == 0;
	return s->readable ? wl_plain_length(s->readable) == n && strncmp(s->readable, described->name, n) == 0
			   : strcmp(s->name, described->name) == 0;
}

/* What the compiler has made copies of, of all functions of one name. False without memory. */
static bool add_inlined(struct wl_sites *sites, struct wl_module *m, const char *module, const char *name,
	struct wish wish, const struct wl_maps *maps)
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
static long add_module(struct wl_sites *sites, struct wl_module *m, const char *module, const char *glob,
	struct wish wish, const struct where *in)
{
	long matched = 0;
	bool literally;
	size_t to;

	if (wl_module_load_symbols(m))
		return -1;
	literally = is_a_name(m, glob);
	wish.by_name = literally || !has_globs(glob);
	for (size_t from = 0; from < m->n_symbols; from = to) {
		const struct wl_symbol *name = NULL;

		for (to = from; to < m->n_symbols && m->symbols[to].offset == m->symbols[from].offset; to++)
			if ((!name || wl_is_plainer(m->symbols[to].name, name->name)) &&
				wl_name_matches(&m->symbols[to], glob, literally))
				name = &m->symbols[to];
		if (!name || (wish.insn && !has_offset(m, from, to, wish.offset)))
			continue;
		if (!(wish.insn ? add_insn_of : add_function)(sites, m, from, to, module, name, wish, in))
			return -1;
		matched++;
	}
	if (wish.by_name && !add_inlined(sites, m, module, glob, wish, in->maps))
		return -1;
	return matched;
}

/* One place of a tracepoint, mapped at `map`. Addresses in the target are as far from the file's as the nop's is. */
static bool add_point_at(struct wl_sites *sites, const struct wl_note *note, const struct wl_symbol *in, char *label,
	bool go, struct wish wish, const struct wl_map *map, const struct wl_maps *maps)
{
	struct wl_site site = {.addr = map->start + (note->offset - map->offset),
		.label = label,
		.go = go,
		.point = calloc(1, sizeof(*site.point))};
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
static long add_points(struct wl_sites *sites, struct wl_module *m, const char *module,
	const struct wl_pattern *pattern, struct wish wish, const struct wl_maps *maps)
{
	long matched = 0;

	if (wl_module_load_notes(m) || (m->notes->n && wl_module_load_symbols(m)))
		return -1;
	for (size_t i = 0; i < m->notes->n; i++) {
		const struct wl_note *note = &m->notes->v[i];
		static const struct wl_symbol nowhere = {.name = ""};
		const struct wl_symbol *in = wl_module_function_at(m, note->offset);
		struct wl_shown shown = wl_name_shown(in ? in : &nowhere);

		if (fnmatch(pattern->provider, note->provider, 0) != 0 || fnmatch(pattern->name, note->name, 0) != 0 ||
			!wl_name_matches(in ? in : &nowhere, pattern->function, false))
			continue;
		matched++;
		for (size_t k = 0; k < maps->n; k++) {
			char *label;

			if (!maps_file(&maps->v[k], m, note->offset) || maps->v[k].old)
				continue;
			if (asprintf(&label, "%s!%.*s%s%s:%s:%s", module, shown.length, shown.name, shown.mark,
				    shown.which, note->provider, note->name) < 0)
				label = NULL;
			if (!add_point_at(
				    sites, note, in, label, wl_module_is_go(m, note->offset), wish, &maps->v[k], maps))
				return -1;
		}
	}
	return matched;
}

static enum wl_hook hook_of(const char *symbol)
{
	size_t length = strcspn(symbol, "@");

	for (size_t i = 0; i < sizeof(HOOKS) / sizeof(HOOKS[0]); i++)
		if (length == strlen(HOOKS[i].name) && strncmp(symbol, HOOKS[i].name, length) == 0)
			return HOOKS[i].hook;
	return WL_HOOK_NONE;
}

/* The functions of the module that show how calls end. */
static bool add_hooks(struct wl_sites *sites, struct wl_module *m, const struct where *in)
{
	size_t to;

	if (wl_module_load_symbols(m))
		return false;
	for (size_t from = 0; from < m->n_symbols; from = to) {
		const struct wl_symbol *name = NULL;
		struct wish wish = {0};

		for (to = from; to < m->n_symbols && m->symbols[to].offset == m->symbols[from].offset; to++)
			if (hook_of(m->symbols[to].name)) {
				name = &m->symbols[to];
				wish.hook = hook_of(name->name);
			}
		if (name && !add_function(sites, m, from, to, m->name, name, wish, in))
			return false;
	}
	return true;
}

/*
 * Is the module worth reading? A C++ runtime may be linked into any library, but reading all symbols of all libraries
 * takes long. Where the runtime isn't found, fewer calls are reported, and none wrongly.
 */
static bool may_have_hooks(const struct wl_module *m)
{
	static const char *const begin[] = {"libgcc_s.so", "libstdc++.so", "libc++abi.so", "libunwind.so"};
	bool may = m->loaded || wl_is_c_library(m->name) || wl_is_c_library(m->soname);

	for (size_t i = 0; i < sizeof(begin) / sizeof(begin[0]); i++)
		may |= strncmp(m->name, begin[i], strlen(begin[i])) == 0;
	return may;
}

/*
 * Is there anything of it where sites are looked for? Not where the dynamic linker may be about to write to what would
 * be displaced.
 */
static bool is_looked_at(const struct wl_module *m, const struct wl_maps *maps)
{
	bool looked_at = false;

	for (size_t i = 0; i < maps->n && !looked_at; i++) {
		const struct wl_map *map = &maps->v[i];

		looked_at = !map->old && map->exec && map->inode == m->first->inode && map->major == m->first->major &&
			    map->minor == m->first->minor;
	}
	return looked_at && !(maps->later && m->relocates_code);
}

long wl_sites_add(struct wl_sites *sites, const struct wl_pattern *pattern, uint16_t entry, const struct wl_process *p,
	const struct wl_maps *maps, struct wl_modules *modules)
{
	struct wl_moved_page page = {0};
	const struct where in = {p, maps, modules, &page};
	bool thrown = pattern->where == WL_THROW;
	const struct wish wish = {entry, thrown || pattern->where == WL_RETURN, thrown || pattern->pairs,
		pattern->by_sp, thrown, WL_HOOK_NONE, WL_UNWATCHED, false, pattern->where == WL_INSN, pattern->offset};
	long matched = 0;

	for (size_t i = 0; i < modules->n; i++) {
		const char *name =
			is_looked_at(&modules->v[i], maps) ? wl_module_matches(&modules->v[i], pattern->module) : NULL;
		long n = 0;

		if (name && pattern->where == WL_POINT)
			n = add_points(sites, &modules->v[i], name, pattern, wish, maps);
		else if (name && pattern->is_address)
			n = add_address(sites, &modules->v[i], name, pattern->offset, wish, &in);
		else if (name)
			n = add_module(sites, &modules->v[i], name, pattern->function, wish, &in);

		if (n < 0)
			return -1;
		matched += n;
	}
	for (size_t i = 0; i < modules->n && wish.exit && wish.pairs && matched; i++)
		if ((thrown || may_have_hooks(&modules->v[i])) && !add_hooks(sites, &modules->v[i], &in))
			return -1;
	return matched;
}

/* Which functions of a C library are to be watched? */
struct watching {
	bool calls, keys;
};

static enum wl_watched watched_as(const char *name, struct watching want)
{
	enum wl_watched which = wl_watched_name(name);

	return (which == WL_PKEY_SET ? want.keys : want.calls) ? which : WL_UNWATCHED;
}

static bool watch_module(struct wl_sites *sites, struct wl_module *m, struct watching want, const struct where *in)
{
	size_t to;

	if (wl_module_load_symbols(m))
		return false;
	for (size_t from = 0; from < m->n_symbols; from = to) {
		const struct wl_symbol *name = NULL;
		struct wish wish = {0};

		for (to = from; to < m->n_symbols && m->symbols[to].offset == m->symbols[from].offset; to++)
			if (watched_as(m->symbols[to].name, want)) {
				name = &m->symbols[to];
				wish.watched = watched_as(name->name, want);
			}
		if (name && !add_function(sites, m, from, to, m->name, name, wish, in))
			return false;
	}
	return true;
}

static bool is_c_library(const struct wl_module *m)
{
	return wl_is_c_library(m->name) || wl_is_c_library(m->soname);
}

/* Does a module other than the C library call its function for protection keys? */
static bool any_sets_keys(const struct wl_modules *modules)
{
	bool any = false;

	for (size_t i = 0; i < modules->n && !any; i++) {
		struct wl_strings s;

		if (is_c_library(&modules->v[i]))
			continue;
		s = wl_elf_dynamic_strings(&modules->v[i].elf);
		any = wl_has_string(&s, WL_SETS_KEYS);
		free(s.p);
	}
	return any;
}

/* A static program has them in itself. */
bool wl_sites_watch(struct wl_sites *sites, const struct wl_process *p, const struct wl_maps *maps,
	struct wl_modules *modules, bool calls)
{
	struct wl_moved_page page = {0};
	const struct where in = {p, maps, modules, &page};
	struct watching want = {.calls = calls};
	bool is_static = true;

	for (size_t i = 0; i < modules->n; i++)
		is_static &= !is_c_library(&modules->v[i]);
	want.keys = wl_pkru_at() && (is_static || any_sets_keys(modules));
	for (size_t i = 0; i < modules->n && (want.calls || want.keys); i++)
		if ((is_static || is_c_library(&modules->v[i])) && !watch_module(sites, &modules->v[i], want, &in))
			return false;
	return true;
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
	free(sites->fixed);
	free(sites->patches);
	wl_bindings_free(&sites->bindings);
	*sites = (struct wl_sites){0};
}
