/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several functions of one name in a module.
 *
 * Each source file may have its own static `helper`. A library may have an old `api` for programs that were linked
 * with it, beside the one for those that are linked now. What tells them apart stands behind an @: the file of a
 * static function (`helper@a.c`), the version of one that isn't the default (`api@VER_1`). If that is the same, or
 * isn't known, it is the function's address in the file (`helper@0x1139`).
 */
#include "twins.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VERSIONS_MOST = 1 << 15, HIDDEN = 0x8000 };

/* ---- Versions ---- */

static void read_names(
	const struct wl_elf *elf, const Elf64_Shdr *sh, const struct wl_strings *strings, struct wl_versions *out)
{
	uint8_t *p = wl_elf_read(elf, sh->sh_offset, sh->sh_size);
	size_t at = 0;

	out->name = p ? calloc(VERSIONS_MOST, sizeof(*out->name)) : NULL;
	out->n_names = out->name ? VERSIONS_MOST : 0;
	for (size_t i = 0; out->name && i < VERSIONS_MOST && at + sizeof(Elf64_Verdef) <= sh->sh_size; i++) {
		Elf64_Verdef def;
		Elf64_Verdaux aux;

		memcpy(&def, p + at, sizeof(def));
		if (at + def.vd_aux + sizeof(aux) <= sh->sh_size && def.vd_ndx < VERSIONS_MOST) {
			memcpy(&aux, p + at + def.vd_aux, sizeof(aux));
			out->name[def.vd_ndx] = wl_string(strings, aux.vda_name);
		}
		if (!def.vd_next)
			break;
		at += def.vd_next;
	}
	free(p);
}

void wl_versions_read(const struct wl_elf *elf, const struct wl_strings *strings, struct wl_versions *out)
{
	const Elf64_Shdr *of = wl_elf_section(elf, SHT_GNU_versym), *names = wl_elf_section(elf, SHT_GNU_verdef);

	*out = (struct wl_versions){0};
	if (!of || !names)
		return;
	out->of = wl_elf_read(elf, of->sh_offset, of->sh_size);
	out->n = out->of ? of->sh_size / sizeof(*out->of) : 0;
	read_names(elf, names, strings, out);
}

const char *wl_version_of(const struct wl_versions *v, size_t symbol, bool *is_default)
{
	uint16_t number = symbol < v->n ? v->of[symbol] : 0;
	const char *name = (number & ~HIDDEN) > VER_NDX_GLOBAL && (size_t)(number & ~HIDDEN) < v->n_names
				   ? v->name[number & ~HIDDEN]
				   : NULL;

	*is_default = !(number & HIDDEN);
	return name && *name ? name : NULL;
}

void wl_versions_free(struct wl_versions *v)
{
	free(v->of);
	free(v->name);
	*v = (struct wl_versions){0};
}

/* ---- Twins ---- */

static int compare_names(const struct wl_symbol *a, const struct wl_symbol *b)
{
	size_t n = strcspn(a->name, "@"), k = strcspn(b->name, "@");
	int order = strncmp(a->name, b->name, n < k ? n : k);

	return order ? order : (n > k) - (n < k);
}

static int compare_which(const struct wl_symbol *a, const struct wl_symbol *b)
{
	int order = compare_names(a, b);

	return order ? order : strcmp(a->which ? a->which : "", b->which ? b->which : "");
}

static int by_name(const void *a, const void *b)
{
	const struct wl_symbol *x = *(struct wl_symbol *const *)a, *y = *(struct wl_symbol *const *)b;
	int order = compare_names(x, y);

	return order ? order : (x->offset > y->offset) - (x->offset < y->offset);
}

static int by_which(const void *a, const void *b)
{
	const struct wl_symbol *x = *(struct wl_symbol *const *)a, *y = *(struct wl_symbol *const *)b;
	int order = compare_which(x, y);

	return order ? order : (x->offset > y->offset) - (x->offset < y->offset);
}

/* The end of the group that begins at v[from], and whether it is of one function. */
static size_t group_end(struct wl_symbol **v, size_t n, size_t from,
	int (*compare)(const struct wl_symbol *, const struct wl_symbol *), bool *one)
{
	size_t to = from;

	*one = true;
	for (; to < n && compare(v[from], v[to]) == 0; to++)
		*one &= v[to]->offset == v[from]->offset;
	return to;
}

/* The symbols at one place have one name, if any of them is what programs get now. */
static size_t name_place(struct wl_symbol **v, size_t n, size_t from)
{
	const char *version = NULL, *file = NULL, *which;
	bool is_plain = false;
	size_t to = from;

	for (; to < n && by_name(&v[from], &v[to]) == 0; to++) {
		is_plain |= !v[to]->file && v[to]->is_default;
		version = v[to]->is_default ? version : v[to]->version;
		file = v[to]->file ? v[to]->file : file;
	}
	which = is_plain ? NULL : version ? version : file;
	for (size_t i = from; i < to; i++)
		v[i]->which = which;
	return to;
}

static int name_by_address(struct wl_module *m, struct wl_symbol *s)
{
	char **v = reallocarray(m->twins, m->n_twins + 1, sizeof(*v));

	if (!v)
		return ENOMEM;
	m->twins = v;
	if (asprintf(&v[m->n_twins], "%#llx", (unsigned long long)wl_module_own_address(m, s->offset)) < 0)
		return ENOMEM;
	s->which = v[m->n_twins++];
	return 0;
}

int wl_twins_find(struct wl_module *m)
{
	struct wl_symbol **v = calloc(m->n_symbols + 1, sizeof(struct wl_symbol *));
	int rc = v ? 0 : ENOMEM;
	bool one;

	for (size_t i = 0; v && i < m->n_symbols; i++)
		v[i] = &m->symbols[i];
	if (v && m->n_symbols)
		qsort(v, m->n_symbols, sizeof(struct wl_symbol *), by_name);
	for (size_t from = 0, to; v && from < m->n_symbols; from = to) {
		to = group_end(v, m->n_symbols, from, compare_names, &one);
		for (size_t i = from; i < to && !one;)
			i = name_place(v, to, i);
	}
	if (v && m->n_symbols)
		qsort(v, m->n_symbols, sizeof(struct wl_symbol *), by_which);
	for (size_t from = 0, to; v && rc == 0 && from < m->n_symbols; from = to) {
		to = group_end(v, m->n_symbols, from, compare_which, &one);
		for (size_t i = from; i < to && rc == 0 && !one; i++)
			rc = name_by_address(m, v[i]);
	}
	free(v);
	return rc;
}
