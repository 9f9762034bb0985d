/* SPDX-License-Identifier: Apache-2.0 */
/* Where a probe function wants to run, as it is written in the name of its section. */
#ifndef WARD_CODEGEN_SITE_H
#define WARD_CODEGEN_SITE_H

#include <stdbool.h>
#include <stdint.h>

extern const char cg_site_hint[];

/* Is this a site? Kind 0: an entry site, 1: a return site. */
bool cg_site_kind(const char *site, uint32_t *kind);

/* Is it the kernel's: "kernel!…" or "kernel:…"? */
bool cg_site_is_kernels(const char *site);

#endif
