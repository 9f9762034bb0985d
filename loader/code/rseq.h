/* SPDX-License-Identifier: Apache-2.0 */
/* Restartable sequences, whose instructions must not be displaced. rseq.c describes how they are found. */
#ifndef WARD_LOADER_RSEQ_H
#define WARD_LOADER_RSEQ_H

#include "site.h"

/* Find those of the modules. Returns 0 or ENOMEM. */
int wl_rseq_find(struct wl_sites *sites, const struct wl_process *p, const struct wl_maps *maps,
	const struct wl_modules *modules);

/* Refuse the patches that would move an instruction of one. */
void wl_rseq_refuse(struct wl_sites *sites);

#endif
