/* SPDX-License-Identifier: Apache-2.0 */
/* Several names of one function: which one do people write, and what are the others? */
#ifndef WARD_LOADER_ALIAS_H
#define WARD_LOADER_ALIAS_H

#include "symbols.h"

/* Would people rather write the first name than the second? Versions ("memcpy@@GLIBC_2.14") don't count. */
bool wl_is_plainer(const char *a, const char *b);

/* A function's names beside the one that is shown, the plainest first, and the version that it is exported with. */
struct wl_aliases {
	char **v;
	size_t n;
	char *version; /* or NULL */
};

/* Of the symbols at one place, one of which is shown. False without memory. */
bool wl_aliases_find(const struct wl_symbol *symbols, size_t n, const struct wl_symbol *shown, struct wl_aliases *out);
void wl_aliases_free(struct wl_aliases *all);

#endif
