/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that were inlined at places of a file, as its debug information says, for the frames of stacks. What was
 * asked for is kept.
 */
#ifndef WARD_LOADER_INLINE_FRAMES_H
#define WARD_LOADER_INLINE_FRAMES_H

#include "symbols.h"

struct wl_inline_place {
	uint64_t address;  /* as the file has it */
	uint32_t first, n; /* in `chain` */
};

/* Of one file. Zero at first. */
struct wl_inline_frames {
	struct wl_inline_place *place; /* that were asked for, in order */
	size_t n;
	uint32_t *chain; /* numbers of names, the outermost function first */
	size_t n_chain;
	char **name;
	size_t n_names;
	bool none; /* there is no debug information, or it can't be read in some seconds */
};

/*
 * Look up these addresses as well, which are put in order. One call for many is much faster than many calls. Returns 0
 * or ENOMEM.
 */
int wl_inline_frames_add(struct wl_inline_frames *f, const struct wl_module *m, uint64_t *addresses, size_t n);

/* NULL: it wasn't asked for. */
const struct wl_inline_place *wl_inline_frames_at(const struct wl_inline_frames *f, uint64_t address);

/*
 * An answer (inline_dwarf.h) about some of the addresses that are there; `whole`: it has an end. Returns 0 or ENOMEM.
 */
int wl_inline_frames_take(struct wl_inline_frames *f, const uint64_t *addresses, size_t n_addresses,
	const uint8_t *bytes, size_t n, bool *whole);

void wl_inline_frames_free(struct wl_inline_frames *f);

#endif
