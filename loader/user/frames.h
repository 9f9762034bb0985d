/* Where functions' parts begin and end, by the unwind tables that stand in the target's memory. frames.c tells how. */
#ifndef WARD_LOADER_FRAMES_H
#define WARD_LOADER_FRAMES_H

#include "maps.h"
#include "process.h"

/* The address of the search table (.eh_frame_hdr) of the file that `map` is a mapping of, or 0. */
uint64_t wl_frames_find(const struct wl_process *p, const struct wl_maps *maps, const struct wl_map *map);

/* The piece of code, described as one, that the address lies in. False if there is none or it can't be known. */
bool wl_frames_range(const struct wl_process *p, uint64_t table, uint64_t addr, uint64_t *start, uint64_t *end);

/*
 * Does the function at the address have an exception table (in the form of C++, which other languages share) by which handlers stand elsewhere than in the piece of code at hand, or that
 * can't be read? False where there are no tables at all: no unwinder gets through then.
 */
bool wl_frames_handlers_elsewhere(const struct wl_process *p, uint64_t table, uint64_t addr);

#endif
