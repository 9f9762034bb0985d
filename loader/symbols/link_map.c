/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mappings of files, and the dynamic linker's list.
 *
 * A library is mapped in steps: first as a whole, then segment by segment. A look in between sees code without the
 * tables that say where jumps lead. Dynamic linkers tell debuggers when a change is in progress. A debugger puts a
 * breakpoint at the function that is called for that; Ward only reads the word that says so, which can do no harm. A
 * program that maps code by itself says nothing. Its mappings must be the same in two looks.
 *
 * New libraries are appended to the list. So two reads show whether one has come: is the last entry still the last,
 * and does the one before still lead to it? When the last entry is removed from the list, the link between these two
 * is cut on one side or the other.
 */
#include "link_map.h"

#include <elf.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PHDRS = 64, DYNAMICS = 512, NAMESPACES = 16, LIBRARIES = 1 << 14, NAME_BYTES = 128 };

static bool is_place(const struct wl_map *m)
{
	return m->exec && m->inode && *m->path == '/' && !wl_is_code_path(m->path);
}

static struct wl_place place_of(const struct wl_map *m)
{
	return (struct wl_place){m->start, m->end, m->offset, m->inode, m->major, m->minor, NULL};
}

int wl_places_of(const struct wl_maps *maps, struct wl_places *places)
{
	*places = (struct wl_places){.v = malloc((maps->n + 1) * sizeof(*places->v))};
	if (!places->v)
		return ENOMEM;
	for (size_t i = 0; i < maps->n; i++)
		if (is_place(&maps->v[i]))
			places->v[places->n++] = place_of(&maps->v[i]);
	return 0;
}

void wl_places_free(struct wl_places *places)
{
	free(places->v);
	*places = (struct wl_places){0};
}

struct wl_place *wl_places_find(const struct wl_places *places, const struct wl_place *place)
{
	size_t lo = 0, hi = places->n;
	struct wl_place *p;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (place->start >= places->v[mid].end)
			lo = mid + 1;
		else
			hi = mid;
	}
	p = lo < places->n ? &places->v[lo] : NULL;
	if (!p || place->start < p->start || place->inode != p->inode || place->major != p->major ||
		place->minor != p->minor)
		return NULL;
	return place->start - p->start == place->offset - p->offset ? p : NULL;
}

void wl_places_mark_others(const struct wl_places *places, struct wl_maps *maps)
{
	for (size_t i = 0; i < maps->n; i++) {
		struct wl_place place = place_of(&maps->v[i]);

		maps->v[i].old = !wl_places_find(places, &place);
	}
}

/* ---- The dynamic linker ---- */

/* The program's own table of segments. Returns how many there are. */
static size_t read_segments(const struct wl_process *p, Elf64_Phdr *ph, uint64_t *address)
{
	uint64_t n = 0;
	char path[64], *auxv;
	size_t size;

	*address = 0;
	snprintf(path, sizeof(path), "/proc/%d/auxv", (int)wl_shown_at(p->pid));
	auxv = wl_read_proc(path, &size);
	for (size_t i = 0; auxv && (i + 1) * sizeof(Elf64_auxv_t) <= size; i++) {
		Elf64_auxv_t a;

		memcpy(&a, auxv + i * sizeof(a), sizeof(a));
		if (a.a_type == AT_PHDR)
			*address = a.a_un.a_val;
		if (a.a_type == AT_PHNUM)
			n = a.a_un.a_val;
	}
	free(auxv);
	return *address && n <= PHDRS && wl_process_read(p, *address, ph, n * sizeof(*ph)) ? n : 0;
}

uint64_t wl_linker_find(const struct wl_process *p)
{
	Elf64_Phdr ph[PHDRS], *dynamic = NULL, *self = NULL;
	Elf64_Dyn dyn[DYNAMICS];
	uint64_t address;
	size_t n = read_segments(p, ph, &address), got;

	for (size_t i = 0; i < n; i++) {
		if (ph[i].p_type == PT_DYNAMIC)
			dynamic = &ph[i];
		if (ph[i].p_type == PT_PHDR)
			self = &ph[i];
	}
	if (!dynamic)
		return 0;
	got = wl_process_read_some(p, dynamic->p_vaddr + (self ? address - self->p_vaddr : 0), dyn, sizeof(dyn)) /
	      sizeof(*dyn);
	for (size_t i = 0; i < got && dyn[i].d_tag != DT_NULL; i++)
		if (dyn[i].d_tag == DT_DEBUG)
			return dyn[i].d_un.d_ptr;
	return 0;
}

/* struct r_debug, and from version 2 on where that of the next namespace is (dlmopen). */
struct linker {
	int32_t version, pad;
	uint64_t map, brk;
	int32_t state, pad2; /* RT_CONSISTENT is 0 */
	uint64_t base, next;
};

enum wl_linker wl_linker_state(const struct wl_process *p, uint64_t at)
{
	struct linker d;

	if (!at)
		return WL_LINKER_UNKNOWN;
	for (unsigned i = 0; at && i < NAMESPACES; i++, at = d.next) {
		d.next = 0;
		if (!wl_process_read(p, at, &d, offsetof(struct linker, next)) || d.version < 1 ||
			(d.version > 1 && !wl_process_read(p, at, &d, sizeof(d))))
			return WL_LINKER_UNKNOWN;
		if (d.state != 0)
			return WL_LINKER_BUSY;
	}
	return WL_LINKER_IDLE;
}

/* The beginning of struct link_map. */
struct library {
	uint64_t base, name, dynamic, next, prev;
};

uint64_t wl_linker_last(const struct wl_process *p, uint64_t at)
{
	struct linker d;
	struct library l;

	if (!at || !wl_process_read(p, at, &d, offsetof(struct linker, next)))
		return 0;
	at = d.map;
	for (unsigned i = 0; at && i < LIBRARIES && wl_process_read(p, at, &l, sizeof(l)); i++, at = l.next)
		if (!l.next)
			return at;
	return 0;
}

bool wl_linker_is_last(const struct wl_process *p, uint64_t last)
{
	uint64_t next = 0;
	struct library l;

	if (!wl_process_read(p, last, &l, sizeof(l)) || l.next)
		return false;
	return !l.prev ||
	       (wl_process_read(p, l.prev + offsetof(struct library, next), &next, sizeof(next)) && next == last);
}

/*
 * A library that is unloaded and another one that is loaded next may have one address, and so may their entries in the
 * list. Then their names differ.
 */
static uint64_t hash_of(const struct wl_process *p, uint64_t last)
{
	uint64_t hash = 14695981039346656037u;
	struct {
		struct library l;
		char name[NAME_BYTES];
	} is = {0};

	if (!last || !wl_process_read(p, last, &is.l, sizeof(is.l)))
		return 0;
	wl_process_read_some(p, is.l.name, is.name, sizeof(is.name));
	for (size_t i = 0; i < sizeof(is.l) || (i < sizeof(is) && is.name[i - sizeof(is.l)]); i++)
		hash = (hash ^ ((const unsigned char *)&is)[i]) * 1099511628211u;
	return hash;
}

void wl_linker_mark(const struct wl_process *p, struct wl_linker_mark *mark)
{
	enum wl_linker state = wl_linker_state(p, mark->at);

	if (state == WL_LINKER_UNKNOWN) {
		mark->at = wl_linker_find(p);
		state = wl_linker_state(p, mark->at);
	}
	mark->busy = state == WL_LINKER_BUSY;
	mark->last = wl_linker_last(p, mark->at);
	mark->hash = hash_of(p, mark->last);
}

bool wl_linker_is_unchanged(const struct wl_process *p, const struct wl_linker_mark *mark)
{
	return mark->last && wl_linker_is_last(p, mark->last) && hash_of(p, mark->last) == mark->hash;
}

bool wl_linker_lists(const struct wl_process *p, uint64_t at, uint64_t base)
{
	struct linker d;
	struct library l;

	if (!at || !wl_process_read(p, at, &d, offsetof(struct linker, next)))
		return false;
	at = d.map;
	for (unsigned i = 0; at && i < LIBRARIES && wl_process_read(p, at, &l, sizeof(l)); i++, at = l.next)
		if (l.base == base)
			return true;
	return false;
}
