/* SPDX-License-Identifier: GPL-2.0-only */
/* Stubs that wrap calls, and those that remain while calls are open. wrap.c describes them. */
#ifndef WARD_WRAP_H
#define WARD_WRAP_H

#include "stub.h"

struct ward_wrap;

/*
 * Make one from a plan, but for its gate, which gets `here`; NULL with *err.
 * EAGAIN: there are enough that wait for the end of calls.
 */
struct ward_wrap *ward_wrap_make(struct ward_wrap_plan *plan, const struct ward_here __percpu *here, int *err);

/* The address to which functions are redirected. */
u8 *ward_wrap_code(const struct ward_wrap *wrap);

/* Nobody was ever led there. NULL is allowed. */
void ward_wrap_forget(struct ward_wrap *wrap);

/*
 * The end, in three steps. First, no function leads there any more: calls that return from now on run no probe.
 * Second, when all tasks that were in a short part have left it, it belongs to no hook. Third, at any time: free
 * those without open calls.
 */
void ward_wrap_shut(struct ward_wrap *wrap);
void ward_wrap_leave(struct ward_wrap *wrap);
void ward_wraps_free(void);

/* The module goes: there are none. */
void ward_wraps_end(void);

#endif
