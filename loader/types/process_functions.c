/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of a process: its sites are found as an attach finds them. Then the file of each module, or its separate
 * file of debug information, is asked once for all functions of the module.
 */
#include "functions.h"

#include "loader/base/error.h"
#include "loader/code/site.h"
#include "loader/symbols/debug_file.h"
#include "dwarf_functions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Sites, and what has become of each. */
struct process_search {
	const struct wl_maps *maps;
	struct wl_modules modules;
	struct wl_sites sites;
	const char **labels;         /* of the sites */
	bool *is_known;              /* of which the table has something */
	const struct wl_module **in; /* the module that a site is in */
	struct table *table;
};

static bool add_unknown(struct table *t, const char *site, const char *why)
{
	uint32_t label = table_text(t, site), reason = table_text(t, why);
	struct table_function *f = table_add(t, LIST_FUNCTIONS);

	if (!f)
		return false;
	*f = (struct table_function){.site = label, .why = reason};
	return true;
}

/* Why nothing can be known of a site, or NULL. */
static const char *hopeless(const struct wl_site *s)
{
	if (s->point)
		return s->point->text ? "the arguments of a static tracepoint have no names"
				      : "parameters are known where a function begins";
	if (s->go)
		return "Go passes arguments by rules of its own";
	if (s->ifunc)
		return "the function is chosen at load time";
	return s->lost;
}

/* Ask for those in the module. Returns 0, or an errno; then *why is what is said of all of them. */
static int ask_module(struct process_search *s, const struct wl_elf *elf, const struct wl_module *m, const char **why)
{
	struct dwarf_asked *asked = calloc(s->sites.n + 1, sizeof(*asked));
	size_t n = 0;
	int rc;

	if (!asked)
		return ENOMEM;
	for (size_t i = 0; i < s->sites.n; i++) {
		const struct wl_site *site = &s->sites.v[i];
		const struct wl_map *map = s->in[i] == m ? wl_maps_find(s->maps, site->addr) : NULL;

		if (map && !hopeless(site))
			asked[n++] =
				(struct dwarf_asked){wl_module_own_address(m, map->offset + (site->addr - map->start)),
					site->symbol ? site->symbol : strchr(site->label, '!'), (uint32_t)i};
	}
	rc = n ? dwarf_functions_read(elf, asked, n, s->labels, s->sites.n, s->table) : 0;
	*why = rc ? "its debug information can't be read" : "debug information doesn't describe it";
	free(asked);
	return rc == ENOMEM ? ENOMEM : 0;
}

static int read_module(struct process_search *s, const struct wl_module *m, const char **why)
{
	struct wl_elf debug;
	int rc = 0;

	*why = "its file has no debug information, and there is no separate file with it";
	if (wl_elf_section_named(&m->elf, ".debug_info"))
		return ask_module(s, &m->elf, m, why);
	if (wl_debug_file_open(m->pid, m->first->path, &m->elf, &debug)) {
		if (wl_elf_section_named(&debug, ".debug_info"))
			rc = ask_module(s, &debug, m, why);
		close(debug.fd);
		wl_elf_close(&debug);
	}
	return rc;
}

/* Those of a module that the table has nothing of get a reason. */
static int finish_module(struct process_search *s, const struct wl_module *m)
{
	uint32_t from = s->table->lists[LIST_FUNCTIONS].n;
	const char *why;
	int rc = read_module(s, m, &why);

	for (uint32_t i = from; i < s->table->lists[LIST_FUNCTIONS].n; i++)
		s->is_known[table_function(s->table, i)->asked] = true;
	for (size_t i = 0; i < s->sites.n && rc == 0; i++)
		if (s->in[i] == m && !s->is_known[i]) {
			const char *own = hopeless(&s->sites.v[i]);

			if (!add_unknown(s->table, s->labels[i], own ? own : why))
				rc = ENOMEM;
		}
	return rc;
}

static int read_sites(struct process_search *s)
{
	size_t n = s->sites.n;
	int rc = 0;

	s->labels = calloc(n + 1, sizeof(*s->labels));
	s->is_known = calloc(n + 1, sizeof(*s->is_known));
	s->in = calloc(n + 1, sizeof(*s->in));
	if (!s->labels || !s->is_known || !s->in)
		return ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct wl_map *map = wl_maps_find(s->maps, s->sites.v[i].addr);

		s->labels[i] = s->sites.v[i].label;
		s->in[i] = map ? wl_module_of(&s->modules, map) : NULL;
	}
	for (size_t i = 0; i < s->modules.n && rc == 0; i++) {
		size_t k = 0;

		while (k < n && s->in[k] != &s->modules.v[i])
			k++;
		if (k < n)
			rc = finish_module(s, &s->modules.v[i]);
	}
	for (size_t i = 0; i < s->sites.n_gone && rc == 0; i++)
		if (!add_unknown(s->table, s->sites.gone[i].label, "only inlined copies of it are left"))
			rc = ENOMEM;
	return rc;
}

static int find_sites(struct process_search *s, const struct wl_process *p, const char *const *sites, size_t n,
	struct ward_error *err)
{
	for (size_t i = 0; i < n; i++) {
		struct wl_pattern pattern;
		size_t before = s->sites.n + s->sites.n_gone;
		int rc = wl_pattern_parse(sites[i], &pattern, err);
		long matched;

		if (rc)
			return rc;
		matched = wl_sites_add(&s->sites, &pattern, (uint16_t)i, p, s->maps, &s->modules);
		if (matched < 0)
			rc = wl_no_memory(err);
		else if (matched == 0 && s->sites.n + s->sites.n_gone == before)
			rc = wl_pattern_no_match(sites[i], &pattern, &s->sites, &s->modules, err);
		wl_pattern_free(&pattern);
		if (rc)
			return rc;
	}
	return 0;
}

int types_of_process(const struct wl_process *p, const struct wl_maps *maps, const char *const *sites, size_t n,
	struct table *t, struct ward_error *err)
{
	struct process_search s = {.maps = maps, .table = t};
	int rc;

	if (wl_modules_read(p->pid, maps, &s.modules))
		return wl_no_memory(err);
	rc = find_sites(&s, p, sites, n, err);
	if (rc == 0 && read_sites(&s))
		rc = wl_no_memory(err);
	free(s.labels);
	free(s.is_known);
	free(s.in);
	wl_sites_free(&s.sites);
	wl_modules_free(&s.modules);
	return rc;
}
