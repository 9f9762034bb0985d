/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a state that all processors share: what the module's section .ward.shared says (spec/module.md). */
#ifndef WARD_LOADER_SHARED_PART_H
#define WARD_LOADER_SHARED_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wl_shared_part {
	uint32_t offset, size; /* in the state, and of what is described; of no size: there is none */
};

enum { WL_SHARED_PAGE = 4096 };

/* What the file says, if that lies within a state of so many bytes; else none. */
struct wl_shared_part wl_shared_part(const void *file, size_t size, uint64_t state_size);

/* In whole pages, as it is mapped. */
static inline uint32_t wl_shared_pages(const struct wl_shared_part *part)
{
	return (part->size + WL_SHARED_PAGE - 1) / WL_SHARED_PAGE * WL_SHARED_PAGE;
}

#endif
