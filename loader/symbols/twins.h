/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of one name, told apart: NAME@FILE, NAME@VERSION. twins.c describes how. */
#ifndef WARD_LOADER_TWINS_H
#define WARD_LOADER_TWINS_H

#include "symbols.h"

/* The versions of the symbols that a file defines, by their place in its dynamic symbol table. */
struct wl_versions {
	uint16_t *of; /* a number each, with bit 15 if it isn't the default */
	size_t n;
	const char **name; /* by number; in the strings that were given */
	size_t n_names;
};
/* None if there are none, or without memory. */
void wl_versions_read(const struct wl_elf *elf, const struct wl_strings *strings, struct wl_versions *out);
/* Of the symbol at this place: NULL if it has none. */
const char *wl_version_of(const struct wl_versions *v, size_t symbol, bool *is_default);
void wl_versions_free(struct wl_versions *v);

/* Set `which` of the symbols whose name alone doesn't say which function is meant. Returns 0 or ENOMEM. */
int wl_twins_find(struct wl_module *m);

#endif
