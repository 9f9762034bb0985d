/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a program's code. Its files are hostile, and it maps others at any moment. */
#include "code_map.h"

#include "loader/symbols/symbols.h"

#include <stdlib.h>
#include <string.h>

/* The rows of what is mapped there, which are read if that is new. NULL: it has none. */
static const struct wl_unwind_mapped *file_of(
	struct wl_code_files *files, const struct wl_process *p, const struct wl_map *map)
{
	struct wl_unwind_mapped **v, *u;
	struct wl_file_key key;

	if (!map->inode && !wl_is_vdso(map))
		return NULL;
	key = wl_file_key(p->pid, map);
	for (size_t i = 0; i < files->n; i++)
		if (wl_file_key_compare(&files->v[i]->of, &key) == 0)
			return files->v[i]->rows.n ? files->v[i] : NULL;
	u = calloc(1, sizeof(*u));
	v = u ? reallocarray(files->v, files->n + 1, sizeof(struct wl_unwind_mapped *)) : NULL;
	if (!v) {
		free(u);
		return NULL;
	}
	files->v = v;
	v[files->n++] = u;
	wl_unwind_mapped_read(u, p->pid, map, &key);
	return u->rows.n ? u : NULL;
}

void wl_code_map_take(
	struct wl_code_map *map, struct wl_code_files *files, const struct wl_process *p, const struct wl_maps *maps)
{
	struct wl_code_map now = {0};

	now.v = calloc(maps->n + 1, sizeof(*now.v));
	for (size_t i = 0; now.v && i < maps->n; i++) {
		const struct wl_map *m = &maps->v[i];
		const struct wl_unwind_mapped *file = NULL;
		uint32_t skew;

		if (m->exec && !wl_is_code_path(m->path))
			file = file_of(files, p, m);
		if (file && wl_unwind_mapped_skew(file, m, &skew))
			now.v[now.n++] = (struct wl_code_place){m->start, m->end, file, skew};
	}
	if (maps->n && now.v) { /* a zombie has nothing mapped */
		wl_code_map_free(map);
		*map = now;
	} else {
		free(now.v);
	}
}

void wl_code_map_copy(struct wl_code_map *map, const struct wl_code_map *from)
{
	struct wl_code_place *v = calloc(from->n + 1, sizeof(*v));

	if (!v)
		return;
	if (from->n)
		memcpy(v, from->v, from->n * sizeof(*v));
	wl_code_map_free(map);
	*map = (struct wl_code_map){v, from->n};
}

void wl_code_map_free(struct wl_code_map *map)
{
	free(map->v);
	*map = (struct wl_code_map){0};
}

void wl_code_files_free(struct wl_code_files *files)
{
	for (size_t i = 0; i < files->n; i++) {
		wl_unwind_mapped_free(files->v[i]);
		free(files->v[i]);
	}
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
	return place && address < place->end ? wl_unwind_find(&place->file->rows, address - place->start + place->skew)
					     : WL_UNWIND_NONE;
}
