/* Code that a program has moved to other memory, at the same addresses. moved.c tells how it is found. */
#ifndef WARD_LOADER_MOVED_H
#define WARD_LOADER_MOVED_H

#include "maps.h"
#include "process.h"

/* Let such mappings count as mappings of the file that the code came from (`moved`), and as one with those of it that they continue. */
void wl_maps_find_moved(pid_t pid, struct wl_maps *maps);

/* What was looked at last, to be zero at first. */
struct wl_moved_page {
	uint64_t addr;
	bool same;
};

/* Does the memory from the address on hold what the file has from the offset on? */
bool wl_is_text(const struct wl_process *p, int fd, uint64_t addr, uint64_t offset, uint64_t size, struct wl_moved_page *last);

#endif
