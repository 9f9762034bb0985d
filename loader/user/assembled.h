/* SPDX-License-Identifier: Apache-2.0 */
/* Code that was written in assembly, by what debug information says. assembled.c tells how. */
#ifndef WARD_LOADER_ASSEMBLED_H
#define WARD_LOADER_ASSEMBLED_H

#include "symbols.h"

/* Parts of a file's code, ascending, apart from each other. */
struct wl_assembled {
	struct wl_assembled_part {
		uint64_t from, to; /* addresses as the file has them */
	} *v;
	size_t n;
	bool stuck; /* what was to find them waited for a lock */
};

/* Returns 0 or ENOMEM; none where debug information isn't there, is broken, or too much to be read in some seconds. */
int wl_assembled_find(const struct wl_module *m, struct wl_assembled *out);
/* Is that place in the file in one of them? */
bool wl_assembled_has(const struct wl_assembled *assembled, const struct wl_module *m, uint64_t offset);
void wl_assembled_free(struct wl_assembled *assembled);

#endif
