/* SPDX-License-Identifier: Apache-2.0 */
/* The symbols of a stripped file that are in a separate file, as in Debian's -dbgsym packages. */
#ifndef WARD_LOADER_DEBUG_FILE_H
#define WARD_LOADER_DEBUG_FILE_H

#include "loader/base/elf_file.h"

#include <sys/types.h>

/* A path as the process sees it, opened for reading if it is a regular file; -1 if not. */
int wl_open_in(pid_t pid, const char *path);

/* The build-id of the file, in hexadecimal; false if it has none. */
enum { WL_BUILD_ID_MOST = 64, WL_BUILD_ID_TEXT = 2 * WL_BUILD_ID_MOST + 1 };
bool wl_build_id_text(const struct wl_elf *elf, char text[WL_BUILD_ID_TEXT]);

/*
 * Find the file, by the build-id of `elf`, whose path in the target's view is `path`: in /usr/lib/debug/.build-id of
 * the target or of our own, or where section .gnu_debuglink says, there or here. It is one only if it has the same
 * build-id, and symbols. On success *debug is open (its descriptor as well).
 */
bool wl_debug_file_open(pid_t pid, const char *path, const struct wl_elf *elf, struct wl_elf *debug);

#endif
