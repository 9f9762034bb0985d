/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys that are modules. A probe knows only the numbers of sites; a ward_module in its state is such a number, too. The
 * caller says which module each site is in (ward_schema_site). When states are merged, a site's number is replaced by
 * that of the first site in its module. So keys of one module become equal, and their values are merged. The modules'
 * names are an enumeration of these numbers.
 *
 * A site of which the caller said nothing stands for itself.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema.h"

#include "loader/base/error.h"

enum { MAX_SITES = 1 << 24 };

uint64_t state_module_of(const struct state_modules *m, uint64_t site)
{
	return m && site < m->n_sites && m->first[site] ? m->first[site] - 1 : site;
}

static bool make_room(struct state_modules *m, uint32_t site)
{
	size_t n = (size_t)site * 2 + 64;

	if (site < m->n_sites)
		return true;
	uint32_t *first = realloc(m->first, n * sizeof(*first));
	if (first)
		m->first = first;
	char **names = first ? realloc(m->site, n * sizeof(*names)) : NULL;
	if (!names)
		return false;
	m->site = names;
	memset(first + m->n_sites, 0, (n - m->n_sites) * sizeof(*first));
	memset(names + m->n_sites, 0, (n - m->n_sites) * sizeof(*names));
	m->n_sites = n;
	return true;
}

void state_site_name(const struct state_modules *m, uint64_t site, char *text, size_t size)
{
	if (site < m->n_sites && m->site[site])
		snprintf(text, size, "%s", m->site[site]);
	else
		snprintf(text, size, "%" PRIu64, site);
}

/* Names of files may hold anything; those of enumerations are safe to print, on a terminal as well. */
static char *printable_name(const char *name)
{
	char *copy = strdup(name);

	for (char *c = copy; c && *c; c++)
		if (*c < 0x20 || *c > 0x7e) /* signed: so are all beyond ASCII */
			*c = '?';
	return copy;
}

/* In order of their numbers, as an enumeration has them. False without memory. */
static bool add_module(struct state_modules *m, uint32_t site, const char *name)
{
	struct ward_enumerator *v = reallocarray(m->v, m->names.n + 1, sizeof(*v));
	char *copy = strdup(name);
	size_t at = m->names.n;

	if (v)
		m->names.names = m->v = v;
	if (!v || !copy) {
		free(copy);
		return false;
	}
	for (; at > 0 && v[at - 1].value > site; at--)
		v[at] = v[at - 1];
	v[at] = (struct ward_enumerator){site, copy};
	m->names.n++;
	return true;
}

/* The first site of a module; -1 if there is none yet. */
static int64_t find_module(const struct state_modules *m, const char *name)
{
	for (size_t i = 0; i < m->names.n; i++)
		if (strcmp(m->v[i].name, name) == 0)
			return (int64_t)m->v[i].value;
	return -1;
}

int ward_schema_site(ward_schema *schema, const struct ward_site_report *report, struct ward_error *err)
{
	struct state_modules *m;
	uint32_t site;
	int64_t first;
	char *name;

	wl_clear(err);
	if (!schema || !report)
		return wl_missing(err, "ward_schema_site", schema ? "the report" : "the schema");
	m = &schema->modules;
	site = report->number;
	if (!report->method || !report->module || site >= MAX_SITES || (site < m->n_sites && m->first[site]))
		return 0;
	if (!make_room(m, site))
		return wl_no_memory(err);
	if (report->site && !m->site[site] && !(m->site[site] = printable_name(report->site)))
		return wl_no_memory(err);
	name = printable_name(report->module);
	first = name ? find_module(m, name) : -1;
	if (!name || (first < 0 && !add_module(m, site, name))) {
		free(name);
		return wl_no_memory(err);
	}
	free(name);
	m->first[site] = first < 0 ? site + 1 : (uint32_t)first + 1;
	return 0;
}

void state_modules_free(struct state_modules *m)
{
	for (size_t i = 0; i < m->names.n; i++)
		free((char *)(uintptr_t)m->v[i].name);
	for (size_t i = 0; i < m->n_sites; i++)
		free(m->site[i]);
	free(m->v);
	free(m->site);
	free(m->first);
}
