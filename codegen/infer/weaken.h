/* SPDX-License-Identifier: Apache-2.0 */
/* Weakens claims that don't hold on some edge into their block, until all claims hold. */
#ifndef WARD_INFER_WEAKEN_H
#define WARD_INFER_WEAKEN_H

#include "emit.h"

/*
 * `rest` is the proof of a module behind its seal; it is replaced if there was something to repair and the repair
 * succeeded. If the verifier finds fault with code behind a branch that is always taken, nothing is repaired: that
 * place in `splits` (struct code) becomes a SPLIT, and *split says so. False: no memory.
 */
bool repair_claims(const struct wv_module *m, struct effort *effort, struct bytes *rest, uint8_t *splits, bool *split);

#endif
