/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A session whose target is the running kernel. Its tallies and states have the same layout as those of a process's
 * threads, one for each processor.
 */
#ifndef WARD_LOADER_KERNEL_H
#define WARD_LOADER_KERNEL_H

#include "loader/api/session.h"

/* How a function is hooked, in words. */
extern const char wl_kmethod_direct[], wl_kmethod_traced[], wl_kmethod_wrap[], wl_kmethod_return[], wl_kmethod_point[];

int wl_kernel_detach(struct ward_session *s, struct ward_error *err);

#endif
