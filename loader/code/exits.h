/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A function's code as a whole: its control flow, the depth of its stack, and its exits. exits.c describes how exits
 * are patched.
 */
#ifndef WARD_LOADER_EXITS_H
#define WARD_LOADER_EXITS_H

#include "loader/symbols/unwind.h"
#include "displace.h"

enum { WL_PARTS = 4 };

/* Pieces of the function's code that the compiler has put elsewhere. None of them has an exit. */
struct wl_parts {
	unsigned n;
	struct wl_part {
		uint64_t start, end;
	} v[WL_PARTS];
};

/* By how many of its instructions a function is left. Tail calls are those that jump to other functions. */
struct wl_leaves {
	unsigned exits, tails;
};

/* The reason why a function that has no exit can't be probed there. */
extern const char wl_never_returns[];

/*
 * Find every exit of the function and how to patch it. `entry` is the patch of the function's entry, if it has one,
 * or NULL: exits among the instructions that it displaces are marked there, the other patches keep clear of it.
 * Returns NULL, with *patches (to be freed) and *n, or a static string: why the exits can't be patched, or aren't
 * known with certainty. Tail calls lead to code outside the function and *parts, which must not come back.
 */
const char *wl_body_exits(const struct wl_function *f, const struct wl_process *p, struct wl_displaced *entry,
	struct wl_displaced **patches, size_t *n, struct wl_leaves *leaves, struct wl_parts *parts);

#endif
