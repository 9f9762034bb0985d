/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Can a thread of the process have another base of fs than the one that the C library gave it? foreign_base.c
 * describes how that is known.
 */
#ifndef WARD_LOADER_FOREIGN_BASE_H
#define WARD_LOADER_FOREIGN_BASE_H

#include "loader/process/maps.h"
#include "loader/process/process.h"
#include "loader/symbols/symbols.h"

enum wl_foreign {
	WL_NOT_FOREIGN,
	WL_SHARED_BASES,     /* only that several threads may have one */
	WL_FOREIGN_AT_FIRST, /* only before a static program's C library has made the first thread's control block */
	WL_FOREIGN_ALWAYS,
};

/* WL_NOT_FOREIGN also where stubs couldn't do anything about it (wl_can_read_base). */
enum wl_foreign wl_foreign_look(const struct wl_process *p, const struct wl_maps *maps, struct wl_modules *modules);

/* Is it a program that no dynamic linker has loaded, and that Go's compiler hasn't made? */
bool wl_static_program(pid_t pid);

#endif
