/* SPDX-License-Identifier: Apache-2.0 */
/* Code that a program has moved to other memory at the same addresses. moved_code.c describes how it is recognised. */
#ifndef WARD_LOADER_MOVED_CODE_H
#define WARD_LOADER_MOVED_CODE_H

#include "loader/process/maps.h"
#include "loader/process/process.h"

/*
 * Mark mappings of moved code (`moved`), and give them the file that the code came from. Join them with adjoining
 * mappings of that file.
 */
void wl_maps_find_moved(pid_t pid, struct wl_maps *maps);

/* The page that was compared last. Zero at first. */
struct wl_moved_page {
	uint64_t addr;
	bool same;
};

/* Does the memory at the address hold what the file has at the offset? */
bool wl_is_text(
	const struct wl_process *p, int fd, uint64_t addr, uint64_t offset, uint64_t size, struct wl_moved_page *last);

#endif
