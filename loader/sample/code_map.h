/* SPDX-License-Identifier: Apache-2.0 */
/* How the caller of each function of a program is found: the rows (unwind_rows.h) of all code that it has mapped. */
#ifndef WARD_LOADER_SAMPLE_CODE_MAP_H
#define WARD_LOADER_SAMPLE_CODE_MAP_H

#include "loader/symbols/unwind_mapped.h"

struct wl_code_file {
	struct wl_unwind_mapped mapped;
	size_t places; /* that are of it */
};

/*
 * The files that programs have mapped. Each is read once, as programs have most of them in common. One that no place is
 * of stays for the next program. All such files are freed each time that the list has twice as many as were left the
 * last time, and 64. Zero at first.
 */
struct wl_code_files {
	struct wl_code_file **v; /* in ascending order of their keys */
	size_t n, most;
};

struct wl_code_place {
	uint64_t start, end;
	struct wl_code_file *file;
	uint32_t skew;
};

/* Zero at first. */
struct wl_code_map {
	struct wl_code_place *v; /* in ascending order */
	size_t n;
};

/* What a process has mapped. It stays as it was if that is nothing, as of one that has ended. */
void wl_code_map_take(
	struct wl_code_map *map, struct wl_code_files *files, const struct wl_process *p, const struct wl_maps *maps);
/* What another one has, for a program that is gone. */
void wl_code_map_copy(struct wl_code_map *map, const struct wl_code_map *from);
void wl_code_map_free(struct wl_code_map *map);
/* After all maps. */
void wl_code_files_free(struct wl_code_files *files);

/* The rule of the code at that address: WL_UNWIND_NONE if nothing describes it. */
uint32_t wl_code_rule(const struct wl_code_map *map, uint64_t address);

#endif
