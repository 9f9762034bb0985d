/* SPDX-License-Identifier: Apache-2.0 */
/* The code of a process without any patches, as its files have it. original.c describes how it is known. */
#ifndef WARD_LOADER_ORIGINAL_H
#define WARD_LOADER_ORIGINAL_H

#include "recovery_record.h"
#include "loader/symbols/symbols.h"

struct wl_original {
	struct wl_below below; /* what a process reads its code through */
	const struct wl_maps *maps;
	struct wl_modules modules;
	struct wl_found *others; /* attachments of Ward's that are there */
	size_t n_others;
};

/* `p` and `maps` must outlive it. Returns 0 or ENOMEM. */
int wl_original_open(struct wl_original *o, const struct wl_process *p, const struct wl_maps *maps);
void wl_original_close(struct wl_original *o);

/* What the process reads its code through, which must be such. */
const struct wl_original *wl_original_of(const struct wl_process *p);

/*
 * May the function be analysed, whose file has `code`? NULL, or why not: something other than Ward has changed it. A
 * breakpoint is no reason, because the code continues behind it.
 */
const char *wl_original_differs(const struct wl_original *o, uint64_t addr, const uint8_t *code, size_t n);

/* What another attachment has at the beginning of the function: fill f->taken and f->joined. */
void wl_original_look(const struct wl_original *o, struct wl_function *f);

/*
 * Fit each patch to what is there now: its `below`, and where its copies continue if another attachment's jump is
 * among its bytes. A patch that can't be fitted is refused.
 */
void wl_sites_fit(struct wl_sites *sites, const struct wl_original *o);

#endif
