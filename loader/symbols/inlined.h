/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that compilers have copied into their callers, where no probe sees them, as debug information says.
 * inlined.c describes how the copies are found.
 */
#ifndef WARD_LOADER_INLINED_H
#define WARD_LOADER_INLINED_H

#include "symbols.h"

/* A function that a name means, as debug information has it. */
struct wl_inlined {
	struct wl_symbol name; /* by its symbol, which need not be there */
	uint64_t copies;       /* not 0 */
};

struct wl_inlines {
	struct wl_inlined *v;
	size_t n;
	uint8_t *texts;
};

/*
 * The functions of the module that have the name, and were inlined. Returns 0 or ENOMEM; none where debug information
 * isn't there, is broken, or too much to be read in some seconds.
 */
int wl_inlines_find(const struct wl_module *m, const char *name, struct wl_inlines *out);
void wl_inlines_free(struct wl_inlines *inlines);

#endif
