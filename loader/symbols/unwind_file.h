/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a file's code (unwind_rows.h), from what it has itself and from its separate debug file. */
#ifndef WARD_LOADER_UNWIND_FILE_H
#define WARD_LOADER_UNWIND_FILE_H

#include "loader/base/elf_file.h"
#include "unwind_rows.h"

#include <sys/types.h>

/* The file's lowest address of code or data, rounded down: what its rows count from. */
uint64_t wl_unwind_base(const struct wl_elf *elf);

/*
 * Read them: .eh_frame, and .debug_frame for what that doesn't describe. `path` is the file's in the view of process
 * `pid`. False: there are none, or no memory. *rows is to be freed in either case.
 */
bool wl_unwind_file(pid_t pid, const char *path, const struct wl_elf *elf, struct wl_unwind_rows *rows);

#endif
