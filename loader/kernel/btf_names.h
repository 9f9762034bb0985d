/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names of structures and unions in the C header, for a kernel and its modules in turn; turn 0 is the kernel. If
 * several have the same name, the second becomes NAME___2 and so on, in the order of turns, then of numbers.
 */
#ifndef WARD_LOADER_KERNEL_BTF_NAMES_H
#define WARD_LOADER_KERNEL_BTF_NAMES_H

#include "btf.h"

struct wl_tags;

/* They live as long as v, whose first one is the base of the others. NULL: no memory. */
struct wl_tags *wl_tags_find(const struct wl_btf *const *v, size_t n);
void wl_tags_free(struct wl_tags *tags);

/*
 * "struct NAME": of a structure or union with a name, or what is only declared by one, as the numbers of that turn lead
 * to it.
 */
void wl_tags_put(const struct wl_tags *tags, size_t turn, uint32_t number, FILE *out);

/* Is it a name that C could have? */
bool wl_is_tag(const char *name);

#endif
