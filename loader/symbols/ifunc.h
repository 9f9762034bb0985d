/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that are chosen at load time (IFUNC): which ones the dynamic linker has chosen. ifunc.c describes how
 * that is found.
 */
#ifndef WARD_LOADER_IFUNC_H
#define WARD_LOADER_IFUNC_H

#include "loader/process/process.h"
#include "symbols.h"

/* One slot that a module calls through, or holds an address in. */
struct wl_binding {
	const char *name;  /* of the symbol; NULL: that which the resolver chooses */
	uint64_t resolver; /* in the target, if there is no name */
	uint64_t target;   /* what the slot holds */
};

struct wl_bindings {
	struct wl_binding *v; /* by target */
	size_t n;
	struct wl_strings *names;
	size_t n_names;
	bool known;
};

/* Read the slots of all modules, if that was not done. Returns 0 or ENOMEM. */
int wl_bindings_read(struct wl_bindings *b, const struct wl_process *p, const struct wl_modules *modules);
void wl_bindings_free(struct wl_bindings *b);

enum { WL_IFUNC_TARGETS = 4 };

/*
 * What has been chosen for module m's symbols [from, to), which are aliases for one resolver: addresses in the code of
 * m. Returns how many there are, at most WL_IFUNC_TARGETS; 0 if nobody has called it yet.
 */
size_t wl_ifunc_targets(const struct wl_bindings *b, const struct wl_module *m, const struct wl_maps *maps, size_t from,
	size_t to, uint64_t *out);

/* The size that the chosen function has by its symbol, or 0. */
uint64_t wl_ifunc_target_size(const struct wl_module *m, const struct wl_maps *maps, uint64_t target);

/*
 * For people: the chosen function's own name or place in its file, and the other symbols for which the same was chosen.
 * Malloc'd, or NULL without memory.
 */
char *wl_ifunc_text(const struct wl_bindings *b, const struct wl_module *m, const struct wl_maps *maps, size_t from,
	size_t to, uint64_t target);

#endif
