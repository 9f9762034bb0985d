/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Proofs that lie, made of proofs that don't, by the grammar of spec/proof.md: numbers are changed a little or a lot,
 * or taken from elsewhere in the proof where they mean the same kind of thing; what is known of one place is claimed of
 * another; claims are left out, and come twice. A byte changed at random seldom makes another proof that is worth a
 * look; most of these are well-formed, and many nearly true.
 */
#ifndef WARD_TESTS_LIES_H
#define WARD_TESTS_LIES_H

#include "edit.h"

/*
 * Change the module's proof, and seal it. `draw` gives 64 random bits. False: it has no proof as the grammar has them.
 */
bool proof_lie(struct ward_buf *file, uint64_t (*draw)(void *), void *user);

#endif
