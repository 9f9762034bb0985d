/* SPDX-License-Identifier: Apache-2.0 */
/* Calls by which a program forbids its threads what stubs do: they are seen at the C library's functions. watch.c tells how. */
#ifndef WARD_LOADER_WATCH_H
#define WARD_LOADER_WATCH_H

#include "asm.h"
#include "slots.h"

enum wl_watched { WL_UNWATCHED, WL_PRCTL, WL_SYSCALL, WL_PKEY_SET };

/* The function that changes what a thread may do with memory of a protection key. */
#define WL_SETS_KEYS "pkey_set"

/* Which of them is called so? The name may have a version. */
enum wl_watched wl_watched_name(const char *name);

/* Is it a module of that name, or soname, that has them? */
bool wl_is_c_library(const char *name);

enum { WL_WATCH_MAX = 512 }; /* bytes of code */

/* Emit what looks at the arguments, where the function begins. Nothing is changed but flags, the processor's, the gate, and what tells that it was shut. */
void wl_watch(struct wl_code *c, const struct wl_slots *slots, enum wl_watched which);

#endif
