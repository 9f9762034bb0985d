/* SPDX-License-Identifier: Apache-2.0 */
/* Leaves out claims that nothing needs. */
#ifndef WARD_INFER_MINIMISE_H
#define WARD_INFER_MINIMISE_H

#include "emit.h"

/*
 * `rest` is the proof of a module behind its seal. If the verifier's sweep finds no fault with it, it is replaced by
 * a smaller proof with which the sweep finds the same: no fault, and the same exits taken. This may spend so many
 * units of effort (effort.h); if they run out, the remaining claims stay. False: no memory.
 */
bool prune_claims(const struct wv_module *m, uint64_t units, struct bytes *rest);

#endif
