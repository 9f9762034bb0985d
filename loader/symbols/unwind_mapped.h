/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of code that a process has mapped: of a file, or of the vdso, which is in no file. */
#ifndef WARD_LOADER_UNWIND_MAPPED_H
#define WARD_LOADER_UNWIND_MAPPED_H

#include "loader/process/maps.h"
#include "loader/process/process.h"
#include "unwind_file.h"

/* Which file a mapping is of. One that has been written since is another one, as is one whose inode is used again. */
struct wl_file_key {
	uint64_t inode; /* 0: the vdso */
	uint64_t device, changed, size;
};

struct wl_file_key wl_file_key(pid_t pid, const struct wl_map *map);
int wl_file_key_compare(const struct wl_file_key *a, const struct wl_file_key *b);

struct wl_unwind_mapped {
	struct wl_file_key of;
	struct wl_unwind_rows rows;
	uint64_t base;      /* the file's own address that the rows count from */
	Elf64_Phdr *loaded; /* where its parts are */
	size_t n_loaded;
};

/*
 * Read what the mapping is of, which has that key. It has no rows if they can't be read, or if the mapping is neither
 * of a file nor the vdso.
 */
void wl_unwind_mapped_read(
	struct wl_unwind_mapped *u, pid_t pid, const struct wl_map *map, const struct wl_file_key *key);
void wl_unwind_mapped_free(struct wl_unwind_mapped *u);

/* How far below the mapping's beginning is what the rows count from? False: they don't describe what is there. */
bool wl_unwind_mapped_skew(const struct wl_unwind_mapped *u, const struct wl_map *map, uint32_t *skew);

#endif
