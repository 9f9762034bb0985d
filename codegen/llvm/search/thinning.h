/* SPDX-License-Identifier: Apache-2.0 */
/* Guards that aren't needed are left out again. thinning.c describes how. */
#ifndef WARD_LLVM_THINNING_H
#define WARD_LLVM_THINNING_H

#include "rounds.h"

/*
 * Leave out what the verifier doesn't miss. `first` has room for what is planned, and gets what was planned before.
 * Returns whether anything has changed.
 */
bool plan_thin_out(struct rounds *r, struct planned *first);
/* The plan as it was. Why something was wanted meanwhile is still there, and nothing reads it. */
void plan_restore(struct plan *p, const struct planned *before);

#endif
