/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jumps into the bytes of a patch that decoding the function alone doesn't show. inbound_jumps.c describes how they
 * are found.
 */
#ifndef WARD_LOADER_INBOUND_JUMPS_H
#define WARD_LOADER_INBOUND_JUMPS_H

#include "site.h"

enum { ZYDIS_SLACK = 32 }; /* bytes to be read behind a function: padding, and the end of its last instruction */

/* Read the jump tables that the function's code refers to. NULL, or the reason why the site must not be patched. */
const char *wl_check_tables(const struct wl_function *f, const struct wl_displaced *d, const struct wl_process *p);

/*
 * Search the executable mappings of all sites for jumps with 32 bits of displacement into a patch, or into a function
 * that is left by jumps, and refuse those sites. Returns 0 or ENOMEM.
 */
int wl_check_far_jumps(struct wl_sites *sites, const struct wl_process *p, const struct wl_maps *maps);

/*
 * Decode the code on both sides of each function for short jumps into a patch of it or, if its exits are to be
 * probed, anywhere into it. A patch of an entry that is jumped into is made shorter if that helps; the long jump in
 * the padding is then a new patch, behind the others.
 */
void wl_check_near_jumps(struct wl_sites *sites, const struct wl_process *p, const struct wl_maps *maps);

#endif
