/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls by which a program forbids its threads what stubs do, seen at the C library's functions. forbidden_calls.c
 * describes how.
 */
#ifndef WARD_LOADER_FORBIDDEN_CALLS_H
#define WARD_LOADER_FORBIDDEN_CALLS_H

#include "loader/base/asm.h"
#include "loader/symbols/watched_names.h"
#include "slots.h"

enum { WL_WATCH_MAX = 512 }; /* bytes of code */

/*
 * Emit the code that examines the arguments, at the function's beginning. It changes only the processor's flags, the
 * gate, and the word that says that the gate was shut.
 */
void wl_watch(struct wl_code *c, const struct wl_slots *slots, enum wl_watched which);

#endif
