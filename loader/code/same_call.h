/* SPDX-License-Identifier: Apache-2.0 */
/* Where else a module makes a function's system call. same_call.c describes how that is found. */
#ifndef WARD_LOADER_SAME_CALL_H
#define WARD_LOADER_SAME_CALL_H

#include "loader/symbols/symbols.h"

/*
 * The other functions that make the system call of the function at the place in the module's file: "__open_nocancel,
 * openat", malloc'd. NULL if it makes none, or it alone does, or without memory. The module's symbols must be loaded.
 */
char *wl_same_calls(const struct wl_module *m, uint64_t offset, uint64_t size);

#endif
