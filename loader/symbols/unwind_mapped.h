/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of code that a process has mapped: of a file, or of the vdso, which is in no file. */
#ifndef WARD_LOADER_UNWIND_MAPPED_H
#define WARD_LOADER_UNWIND_MAPPED_H

#include "loader/process/maps.h"
#include "loader/process/process.h"
#include "unwind_file.h"

struct wl_unwind_mapped {
	uint64_t inode; /* 0: the vdso */
	unsigned major, minor;
	struct wl_unwind_rows rows;
	uint64_t base;      /* the file's own address that the rows count from */
	Elf64_Phdr *loaded; /* where its parts are */
	size_t n_loaded;
};

/* Is it what this mapping is of? */
bool wl_unwind_is_of(const struct wl_unwind_mapped *u, const struct wl_map *map);

/* Read it. It has no rows if they can't be read, or if the mapping is neither of a file nor the vdso. */
void wl_unwind_mapped_read(struct wl_unwind_mapped *u, const struct wl_process *p, const struct wl_map *map);
void wl_unwind_mapped_free(struct wl_unwind_mapped *u);

/* How far below the mapping's beginning is what the rows count from? False: they don't describe what is there. */
bool wl_unwind_mapped_skew(const struct wl_unwind_mapped *u, const struct wl_map *map, uint32_t *skew);

#endif
