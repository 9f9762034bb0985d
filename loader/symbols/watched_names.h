/* SPDX-License-Identifier: Apache-2.0 */
/* The functions by which a program can forbid its threads what stubs do (stub/forbidden_calls.c). */
#ifndef WARD_LOADER_WATCHED_NAMES_H
#define WARD_LOADER_WATCHED_NAMES_H

#include <stdbool.h>

enum wl_watched { WL_UNWATCHED, WL_PRCTL, WL_SYSCALL, WL_PKEY_SET };

/* The function that changes what a thread may do with memory of a protection key. */
#define WL_SETS_KEYS "pkey_set"

/* Which of them is called so? The name may have a version. */
enum wl_watched wl_watched_name(const char *name);

/* Is it a module of that name, or soname, that has them? */
bool wl_is_c_library(const char *name);

#endif
