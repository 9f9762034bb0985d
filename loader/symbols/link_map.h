/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the code of files is mapped in a process, and what has been mapped and unmapped since. link_map.c describes
 * how.
 */
#ifndef WARD_LOADER_LINK_MAP_H
#define WARD_LOADER_LINK_MAP_H

#include "loader/process/maps.h"
#include "loader/process/process.h"

/* An executable mapping of a file. */
struct wl_place {
	uint64_t start, end, offset, inode;
	unsigned major, minor;
	void *owner; /* the caller's */
};

struct wl_places {
	struct wl_place *v; /* in ascending order */
	size_t n;
};

/* All there are but for code of ours. Returns 0 or ENOMEM. */
int wl_places_of(const struct wl_maps *maps, struct wl_places *places);
void wl_places_free(struct wl_places *places);

/* The one that has the beginning of this one, of the same file at the same place, or NULL. */
struct wl_place *wl_places_find(const struct wl_places *places, const struct wl_place *place);

/* Mark what is mapped as old, but for what is at these places. */
void wl_places_mark_others(const struct wl_places *places, struct wl_maps *maps);

/* What a program's dynamic linker says of itself to debuggers (struct r_debug of <link.h>). */
enum wl_linker {
	WL_LINKER_UNKNOWN, /* it has none, or says nothing */
	WL_LINKER_BUSY,    /* it maps libraries, or takes them away */
	WL_LINKER_IDLE,
};

/* What that stands at; 0 if there is none. The process's memory is hostile. */
uint64_t wl_linker_find(const struct wl_process *p);
enum wl_linker wl_linker_state(const struct wl_process *p, uint64_t at);

/* Where the last library of its list stands, of the first namespace; 0 if that can't be known. */
uint64_t wl_linker_last(const struct wl_process *p, uint64_t at);
/* Is that the last one still? Costs little. */
bool wl_linker_is_last(const struct wl_process *p, uint64_t last);

/* What a linker's list was like at a moment. */
struct wl_linker_mark {
	uint64_t at;   /* where the linker's struct is; 0: there is none */
	uint64_t last; /* the last library of its list */
	uint64_t hash; /* of what the list says of that one */
	bool busy;     /* it was in the midst of a change */
};

/* Make the mark of this moment. `at` is kept if that is still a linker's. */
void wl_linker_mark(const struct wl_process *p, struct wl_linker_mark *mark);
/* Is the end of the list what it was? Libraries are added there. Costs little. */
bool wl_linker_is_unchanged(const struct wl_process *p, const struct wl_linker_mark *mark);
/* Is a library in the list that is mapped so far from its own addresses? */
bool wl_linker_lists(const struct wl_process *p, uint64_t at, uint64_t base);

#endif
