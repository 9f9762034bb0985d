/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which programs are made by the Go compiler, and where in their functions a probe finds enough stack. go.c describes
 * how.
 */
#ifndef WARD_LOADER_GO_H
#define WARD_LOADER_GO_H

#include "loader/base/elf_file.h"

#include <sys/types.h>

/* Was the file made by the Go compiler, or a part of it? */
bool wl_go_file(const struct wl_elf *elf);

/* Is it a process of such a program? False if that can't be known. */
bool wl_go_program(pid_t pid);

/* Does Linux let programs ask for a thread's segment base without a system call? */
bool wl_can_read_base(void);

enum { WL_GO_CHECK_INSNS = 3 };

/* The instructions by which a Go function sees that it has stack enough. */
struct wl_go_check {
	uint8_t at[WL_GO_CHECK_INSNS]; /* offset of each */
	uint8_t n, len;
};

/*
 * Find them where the function begins. NULL, or a static string: why there may be no stack for a probe. Those only are
 * found whose arguments are in registers.
 */
const char *wl_go_find_check(const uint8_t *code, size_t size, struct wl_go_check *check);

#endif
