/* SPDX-License-Identifier: Apache-2.0 */
/* Where and how a static tracepoint is patched. sdt_patch.c describes how. */
#ifndef WARD_LOADER_SDT_PATCH_H
#define WARD_LOADER_SDT_PATCH_H

#include "displace.h"
#include "loader/process/process.h"

/*
 * Code outside of the function that jumps into it: it may be the rest of it, with jump tables that lead here as well.
 */
struct wl_kin {
	uint64_t start, end;
};

/*
 * Find the bytes to patch for the nop at f->code[nop], or, with `any`, for the instruction there, whatever it is. f is
 * the whole of a piece of code that the unwind tables describe. Returns NULL and fills *d, in which the
 * instruction that the event stands before is marked as an exit; or a static string: why it can't be.
 */
const char *wl_point_place(const struct wl_function *f, size_t nop, bool any, const struct wl_kin *kin, size_t n_kin,
	const struct wl_process *p, struct wl_displaced *d);

#endif
