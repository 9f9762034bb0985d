/* SPDX-License-Identifier: Apache-2.0 */
/* Where a probe function wants to run, as it is written in the name of its section. */
#ifndef WARD_CODEGEN_SITE_H
#define WARD_CODEGEN_SITE_H

#include <stdbool.h>
#include <stdint.h>

extern const char cg_site_hint[];

/* Is this a site? Kind 0: an entry site, 1: a return site. */
bool cg_site_kind(const char *site, uint32_t *kind);

/*
 * Can it be one of such a module, of the kernel's or of processes'? The kernel's begin with "kernel!" or "kernel:".
 * Those that are reached by time or by the count of an event are anybody's.
 */
bool cg_site_fits(const char *site, bool kernel);

#endif
