/* SPDX-License-Identifier: Apache-2.0 */
/* Claims that nothing needs, left out. */
#ifndef WARD_INFER_PRUNE_H
#define WARD_INFER_PRUNE_H

#include "emit.h"

/*
 * `rest` is the proof of a module behind its seal. If the verifier's sweep finds no fault with it, it is replaced by
 * one with which the sweep finds the same: no fault, and the same ways taken. So many units of effort may be spent on
 * that (effort.h); where they are not enough, what is there stays. False: no memory.
 */
bool prune_claims(const struct wv_module *m, uint64_t units, struct bytes *rest);

#endif
