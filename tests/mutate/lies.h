/* SPDX-License-Identifier: Apache-2.0 */
/*
 * False proofs, made from true ones by the grammar of spec/proof.md. Numbers are changed a little or a lot, or taken
 * from another place in the proof where they mean the same kind of thing. What is known of one location is claimed of
 * another. Claims are left out, or come twice. A byte changed at random seldom makes an interesting proof; most of
 * these are well-formed, and many are nearly true.
 */
#ifndef WARD_TESTS_LIES_H
#define WARD_TESTS_LIES_H

#include "edit.h"

/*
 * Change the module's proof, and seal it. `draw` gives 64 random bits. False: it has no proof as the grammar has them.
 */
bool proof_lie(struct ward_buf *file, uint64_t (*draw)(void *), void *user);

#endif
