/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The unwind tables of a target.
 *
 * Of each file that the target executes code of there is one table of rows, in private memory of the target, which is
 * written once. A directory says which mapping has which rows. When code comes or goes, another directory is written
 * behind what there is, and then its address replaces the old one's: so a walk that has begun goes on with the old one.
 * Nothing is written twice. When the room is used up, what comes later is walked through by frame pointers.
 *
 * The word with the directory's address is in the gate's page, which a forked child finds empty. So no walk in the
 * child relies on what it has not mapped, before its own directory is made.
 *
 * The target can overwrite all of this, like all of its memory. That harms only the target. Its files are hostile:
 * unwind_file.c reads what they say.
 */
#include "unwind_tables.h"

#include "loader/symbols/unwind_mapped.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A file, or what is mapped of none but has a table. Its rows are in the target only. */
struct table {
	struct wl_unwind_mapped mapped;
	uint64_t rows; /* their address there; 0: it has none */
	uint32_t n;
};

struct wl_tables {
	struct table *v;
	size_t n;
	struct wl_directory *directory; /* what the last look found; NULL: there was none */
	uint64_t used;                  /* of the room */
	uint32_t generation;
	struct wl_linker_mark linker;
	uint64_t looked; /* nanoseconds: when the last look was */
};

enum {
	WALK_ALIGN = 64,
	MOST_TABLES = 4096, /* what a target writes anew again and again is walked through by frame pointers then */
};
static const uint64_t LOOK_NS = 1000000000;

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* Write behind what there is. Returns the address; 0: there is no room, or the target is gone. */
static uint64_t room_put(struct wl_attachment *a, const void *p, uint64_t size)
{
	struct wl_tables *t = a->tables;
	uint64_t at = a->slots.walk + WL_WALK_CACHE_SIZE + t->used;

	if (size > WL_TABLES_SIZE - t->used || !wl_process_write(&a->p, at, p, size))
		return 0;
	t->used += (size + WALK_ALIGN - 1) & ~(uint64_t)(WALK_ALIGN - 1);
	return at;
}

/* The table of what is mapped there, which is read if it is new. NULL without memory, or if there are too many. */
static const struct table *table_of(struct wl_attachment *a, const struct wl_map *map)
{
	struct wl_file_key key = wl_file_key(a->p.pid, map);
	struct wl_tables *t = a->tables;
	struct table *v;
	struct wl_unwind_rows *rows;

	for (size_t i = 0; i < t->n; i++)
		if (wl_file_key_compare(&t->v[i].mapped.of, &key) == 0)
			return &t->v[i];
	if (t->n == MOST_TABLES)
		return NULL;
	v = reallocarray(t->v, t->n + 1, sizeof(*v));
	if (!v)
		return NULL;
	t->v = v;
	v += t->n++;
	*v = (struct table){0};
	wl_unwind_mapped_read(&v->mapped, a->p.pid, map, &key);
	rows = &v->mapped.rows;
	if (rows->n && rows->n <= UINT32_MAX)
		v->rows = room_put(a, rows->v, rows->n * sizeof(*rows->v));
	v->n = v->rows ? (uint32_t)rows->n : 0;
	wl_unwind_free(rows);
	return v;
}

/* The entry of one mapping. False: it has no rows. */
static bool entry_make(struct wl_attachment *a, const struct wl_map *map, struct wl_directory_entry *entry)
{
	const struct table *t = map->inode || wl_is_vdso(map) ? table_of(a, map) : NULL;
	uint32_t skew;

	if (!t || !t->n || !wl_unwind_mapped_skew(&t->mapped, map, &skew))
		return false;
	*entry = (struct wl_directory_entry){map->start, map->end, t->rows, t->n, skew};
	return true;
}

/* What is mapped, and which rows that has. NULL without memory. */
static struct wl_directory *directory_make(struct wl_attachment *a, const struct wl_maps *maps)
{
	struct wl_directory *d = calloc(1, sizeof(*d) + maps->n * sizeof(d->v[0]));

	for (size_t i = 0; d && i < maps->n; i++)
		if (maps->v[i].exec && !wl_is_code_path(maps->v[i].path) && entry_make(a, &maps->v[i], &d->v[d->n]))
			d->n++;
	return d;
}

/* Write the directory, and let it count. */
static void directory_write(struct wl_attachment *a, struct wl_directory *d)
{
	uint64_t at;

	d->generation = ++a->tables->generation;
	at = room_put(a, d, sizeof(*d) + d->n * sizeof(d->v[0]));
	if (at)
		wl_process_write(&a->p, a->slots.gate + WL_GATE_DIRECTORY, &at, sizeof(at));
}

static bool is_same(const struct wl_directory *a, const struct wl_directory *b)
{
	return a && a->n == b->n && memcmp(a->v, b->v, a->n * sizeof(a->v[0])) == 0;
}

/*
 * Look at what is mapped now; if it isn't what the directory has, write another one. A library that was unloaded,
 * written anew and loaded again may be at the same place, but it has other rows.
 */
static int tables_look(struct wl_attachment *a, bool anew)
{
	struct wl_tables *t = a->tables;
	struct wl_directory *d;
	struct wl_maps maps;

	t->looked = now_ns();
	wl_linker_mark(&a->p, &t->linker);
	if (wl_maps_read(a->p.pid, &maps))
		return 0; /* it is gone, and takes no stack any more */
	d = directory_make(a, &maps);
	wl_maps_free(&maps);
	if (!d)
		return ENOMEM;
	if (!anew && is_same(t->directory, d)) {
		free(d);
		return 0;
	}
	directory_write(a, d);
	free(t->directory);
	t->directory = d;
	return 0;
}

int wl_tables_make(struct wl_attachment *a)
{
	if (!a->slots.walk)
		return 0;
	if (!a->tables)
		a->tables = calloc(1, sizeof(*a->tables));
	return a->tables ? tables_look(a, true) : ENOMEM;
}

void wl_tables_poll(struct wl_attachment *a)
{
	struct wl_tables *t = a->tables;

	if (t && (now_ns() - t->looked > LOOK_NS || !wl_linker_is_unchanged(&a->p, &t->linker)))
		tables_look(a, false);
}

int wl_tables_fork(struct wl_attachment *a, const struct wl_attachment *parent)
{
	const struct wl_tables *from = parent->tables;
	struct wl_tables *t;

	if (!a->slots.walk || !from)
		return 0;
	t = a->tables = calloc(1, sizeof(*t));
	if (!t)
		return ENOMEM;
	t->used = from->used;
	t->generation = from->generation;
	t->v = calloc(from->n + 1, sizeof(*t->v));
	if (!t->v)
		return ENOMEM;
	for (; t->n < from->n; t->n++) {
		struct table *to = &t->v[t->n];

		*to = from->v[t->n];
		to->mapped.loaded = calloc(to->mapped.n_loaded + 1, sizeof(*to->mapped.loaded));
		if (!to->mapped.loaded)
			return ENOMEM;
		if (to->mapped.n_loaded)
			memcpy(to->mapped.loaded, from->v[t->n].mapped.loaded,
				to->mapped.n_loaded * sizeof(*to->mapped.loaded));
	}
	return tables_look(a, true);
}

void wl_tables_free(struct wl_tables *tables)
{
	if (!tables)
		return;
	for (size_t i = 0; i < tables->n; i++)
		wl_unwind_mapped_free(&tables->v[i].mapped);
	free(tables->v);
	free(tables->directory);
	free(tables);
}
