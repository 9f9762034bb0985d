/* SPDX-License-Identifier: Apache-2.0 */
/* Claims that some way into their block doesn't keep, weakened until all of them hold. */
#ifndef WARD_INFER_REPAIR_H
#define WARD_INFER_REPAIR_H

#include "emit.h"

/*
 * `rest` is the proof of a module behind its seal; it is replaced if there was something to repair and that succeeded.
 * If the verifier finds fault with what a branch that is always taken is followed by, nothing is repaired: that place
 * in `splits` (struct code) becomes a SPLIT, and *split says so. False: no memory.
 */
bool repair_claims(const struct wv_module *m, struct effort *effort, struct bytes *rest, uint8_t *splits, bool *split);

#endif
