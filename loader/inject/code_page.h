/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading and writing the code of a target whose threads are all stopped. Places that are close together are read and
 * written at once. code_page.c describes how.
 */
#ifndef WARD_LOADER_CODE_PAGE_H
#define WARD_LOADER_CODE_PAGE_H

#include "loader/process/maps.h"
#include "loader/process/process.h"

enum { WL_CODE_PAGE = 4096 };

/* All zero but for `p` and `maps` at first. */
struct wl_code_page {
	const struct wl_process *p;
	const struct wl_maps *maps; /* needed to write */
	bool loaded, failed;
	uint64_t at;     /* address of the page */
	unsigned lo, hi; /* of it, what is still to be written */
	uint8_t bytes[WL_CODE_PAGE];
};

bool wl_code_read(struct wl_code_page *c, uint64_t addr, void *buf, size_t n);

/* Written by the next flush at the latest, which must come before the page is forgotten, and says if all were. */
bool wl_code_write(struct wl_code_page *c, uint64_t addr, const void *buf, size_t n);
bool wl_code_flush(struct wl_code_page *c);

#endif
