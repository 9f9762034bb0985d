/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pieces of code that contain static tracepoints, and what jumps into them. sdt_piece.c describes how they are
 * found.
 */
#ifndef WARD_LOADER_SDT_PIECE_H
#define WARD_LOADER_SDT_PIECE_H

#include "sdt_patch.h"
#include "site.h"

enum { WL_KIN = 64 };

struct wl_piece {
	uint64_t start, end;
	uint64_t frames; /* the file's unwind tables, or 0 */
	const char *why; /* tracepoints in it can't be patched; static */
	struct wl_kin kin[WL_KIN];
	size_t n_kin;
};

struct wl_pieces {
	struct wl_piece *v; /* by address */
	size_t n;
	struct wl_piece unknown;
};

/* Those of all tracepoints among the sites. Returns 0 or ENOMEM. */
int wl_pieces_find(const struct wl_sites *sites, const struct wl_process *p, const struct wl_maps *maps,
	uint64_t size_max, struct wl_pieces *out);
void wl_pieces_free(struct wl_pieces *pieces);

/* The site's; one with a `why` if it has none. */
const struct wl_piece *wl_piece_of(const struct wl_pieces *pieces, const struct wl_site *site);

#endif
