/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the parts of functions begin and end, as the unwind tables in the target's memory say. unwind.c describes how
 * they are read.
 */
#ifndef WARD_LOADER_UNWIND_H
#define WARD_LOADER_UNWIND_H

#include "loader/process/maps.h"
#include "loader/process/process.h"

/* The address of the search table (.eh_frame_hdr) of the file that `map` is a mapping of, or 0. */
uint64_t wl_frames_find(const struct wl_process *p, const struct wl_maps *maps, const struct wl_map *map);

/* The piece of code, described as one, that the address lies in. False if there is none or it can't be known. */
bool wl_frames_range(const struct wl_process *p, uint64_t table, uint64_t addr, uint64_t *start, uint64_t *end);

/*
 * Where handlers of exceptions begin that belong to the code of `size` bytes at `addr`: at[offset] is set for each.
 * False if one stands elsewhere, or if the exception table is there and can't be read. Code that nothing describes has
 * none, as no unwinder gets through.
 */
bool wl_frames_handlers(const struct wl_process *p, uint64_t table, uint64_t addr, size_t size, bool *at);

#endif
