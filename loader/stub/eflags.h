/* SPDX-License-Identifier: Apache-2.0 */
/* Flags of the target that a probe can't have. eflags.c describes how stubs clear them. */
#ifndef WARD_LOADER_EFLAGS_H
#define WARD_LOADER_EFLAGS_H

#include "loader/base/asm.h"

enum { WL_FLAG_DF = 1 << 10, WL_FLAG_AC = 1 << 18 };

/* Code off the hot path is emitted later; these are the jumps to it and back. */
struct wl_eflags {
	uint32_t clear;         /* mask of WL_FLAG_…; 0: nothing is emitted */
	size_t is_set, was_set; /* forward jumps */
	uint64_t begun, ended;  /* where they come back */
};

/* The flags that entries with these needs (enum ward_need) can't have. */
uint32_t wl_eflags_for(uint32_t needs);

/* Before the probes: these flags are clear from here on. One word more is on the stack until wl_eflags_end. */
struct wl_eflags wl_eflags_begin(struct wl_code *c, uint32_t clear);
/* Behind them: as they were. Other flags are lost. */
void wl_eflags_end(struct wl_code *c, struct wl_eflags *e);
void wl_eflags_cold(struct wl_code *c, const struct wl_eflags *e);

#endif
