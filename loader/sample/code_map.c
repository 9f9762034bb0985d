/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a program's code. Its files are hostile, and it maps others at any moment. */
#include "code_map.h"

#include "loader/symbols/symbols.h"

#include <stdlib.h>
#include <string.h>

enum { SPARE_FILES = 64 };

static void file_free(struct wl_code_file *file)
{
	wl_unwind_mapped_free(&file->mapped);
	free(file);
}

/* Free those that no place is of. */
static void files_sweep(struct wl_code_files *files)
{
	size_t n = 0;

	for (size_t i = 0; i < files->n; i++)
		if (files->v[i]->places)
			files->v[n++] = files->v[i];
		else
			file_free(files->v[i]);
	files->n = n;
	files->most = 2 * n + SPARE_FILES;
}

/* Where the file of that key is, or would be. */
static size_t file_at(const struct wl_code_files *files, const struct wl_file_key *key, bool *found)
{
	size_t lo = 0, hi = files->n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (wl_file_key_compare(&files->v[mid]->mapped.of, key) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	*found = lo < files->n && wl_file_key_compare(&files->v[lo]->mapped.of, key) == 0;
	return lo;
}

/* The rows of what is mapped there, which are read if that is new. NULL: it has none. */
static struct wl_code_file *file_of(struct wl_code_files *files, const struct wl_process *p, const struct wl_map *map)
{
	struct wl_code_file **v, *file;
	struct wl_file_key key;
	bool found;
	size_t at;

	if (!map->inode && !wl_is_vdso(map))
		return NULL;
	key = wl_file_key(p->pid, map);
	at = file_at(files, &key, &found);
	if (found)
		return files->v[at]->mapped.rows.n ? files->v[at] : NULL;
	if (files->n >= files->most) {
		files_sweep(files);
		at = file_at(files, &key, &found);
	}
	file = calloc(1, sizeof(*file));
	v = file ? reallocarray(files->v, files->n + 1, sizeof(struct wl_code_file *)) : NULL;
	if (!v) {
		free(file);
		return NULL;
	}
	files->v = v;
	memmove(v + at + 1, v + at, (files->n++ - at) * sizeof(*v));
	v[at] = file;
	wl_unwind_mapped_read(&file->mapped, p->pid, map, &key);
	return file->mapped.rows.n ? file : NULL;
}

void wl_code_map_take(
	struct wl_code_map *map, struct wl_code_files *files, const struct wl_process *p, const struct wl_maps *maps)
{
	struct wl_code_map now = {0};

	now.v = calloc(maps->n + 1, sizeof(*now.v));
	for (size_t i = 0; now.v && i < maps->n; i++) {
		const struct wl_map *m = &maps->v[i];
		struct wl_code_file *file = NULL;
		uint32_t skew;

		if (m->exec && !wl_is_code_path(m->path))
			file = file_of(files, p, m);
		if (file && wl_unwind_mapped_skew(&file->mapped, m, &skew)) {
			file->places++;
			now.v[now.n++] = (struct wl_code_place){m->start, m->end, file, skew};
		}
	}
	if (maps->n && now.v) { /* a zombie has nothing mapped */
		wl_code_map_free(map);
		*map = now;
	} else {
		wl_code_map_free(&now);
	}
}

void wl_code_map_copy(struct wl_code_map *map, const struct wl_code_map *from)
{
	struct wl_code_place *v = calloc(from->n + 1, sizeof(*v));

	if (!v)
		return;
	if (from->n)
		memcpy(v, from->v, from->n * sizeof(*v));
	for (size_t i = 0; i < from->n; i++)
		v[i].file->places++;
	wl_code_map_free(map);
	*map = (struct wl_code_map){v, from->n};
}

void wl_code_map_free(struct wl_code_map *map)
{
	for (size_t i = 0; i < map->n; i++)
		map->v[i].file->places--;
	free(map->v);
	*map = (struct wl_code_map){0};
}

void wl_code_files_free(struct wl_code_files *files)
{
	for (size_t i = 0; i < files->n; i++)
		file_free(files->v[i]);
	free(files->v);
	*files = (struct wl_code_files){0};
}

uint32_t wl_code_rule(const struct wl_code_map *map, uint64_t address)
{
	size_t lo = 0, hi = map->n;
	const struct wl_code_place *place;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (map->v[mid].start <= address)
			lo = mid + 1;
		else
			hi = mid;
	}
	place = lo ? &map->v[lo - 1] : NULL;
	return place && address < place->end
		       ? wl_unwind_find(&place->file->mapped.rows, address - place->start + place->skew)
		       : WL_UNWIND_NONE;
}
