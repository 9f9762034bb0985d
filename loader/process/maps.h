/* SPDX-License-Identifier: Apache-2.0 */
/* The mappings of a process, from /proc/PID/maps. The lines are hostile input: paths contain any bytes but newline. */
#ifndef WARD_LOADER_MAPS_H
#define WARD_LOADER_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct wl_map {
	uint64_t start, end, offset;
	bool read, write, exec, shared;
	unsigned major, minor;
	uint64_t inode;
	char *path; /* "" if anonymous; inside wl_maps.text */
	/* a mapping that opens the file (/proc/PID/map_files): this one, unless it was moved */
	uint64_t link_start, link_end;
	bool moved; /* moved_code.h */
	bool old;   /* no sites are looked for there (link_map.h) */
};

struct wl_maps {
	struct wl_map *v; /* in ascending order */
	size_t n;
	char *text;
	bool later; /* sites are looked for in what was loaded just now */
};

/* Returns 0 or an errno: ESRCH if the process is gone (or a zombie with nothing mapped gives n = 0). */
int wl_maps_read(pid_t pid, struct wl_maps *maps);
void wl_maps_free(struct wl_maps *maps);

/* The number of the first mapping that ends above the address; maps->n if there is none. */
size_t wl_maps_above(const struct wl_maps *maps, uint64_t addr);

/* The mapping that holds the address, or NULL. */
const struct wl_map *wl_maps_find(const struct wl_maps *maps, uint64_t addr);

/*
 * A free place for `size` bytes that lies wholly in [lo, hi), a multiple of the page size; 0 if there is none. Places
 * near `near` are preferred. Keeps away from the room that the heap and stacks grow into.
 */
uint64_t wl_maps_gap(const struct wl_maps *maps, uint64_t lo, uint64_t hi, uint64_t size, uint64_t near);

/*
 * /proc/PID shows no memory and no files once the first thread has ended, even if others still run. Returns the
 * number under which they are shown: the process's own, or that of a living thread.
 */
pid_t wl_shown_at(pid_t pid);

/* Read a whole /proc file into a NUL-terminated buffer to be freed; NULL with errno set. *size may be NULL. */
char *wl_read_proc(const char *path, size_t *size);

/* Is it the path of memory that Ward maps in targets (a memfd): of code, of state? */
bool wl_is_code_path(const char *path);
bool wl_is_state_path(const char *path);

#endif
