/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Proof inference: finds the facts that the verifier needs, by running the verifier's own step function to a fixpoint.
 * Nothing here is trusted: a mistake makes a good module be rejected, never a bad one accepted. No LLVM.
 */
#ifndef WARD_INFER_H
#define WARD_INFER_H

#include <stddef.h>
#include <stdint.h>

/*
 * Infer a proof for the module `file` (a linked module; a proof section in it is ignored). On success returns 0 and
 * sets *proof (to be freed with free()) and *proof_size: the contents of `.ward.proof`, sealed. What can't be proven is
 * left out of the proof, for the verifier to report, so that success says nothing of the verdict. Returns -1 if the
 * file is no module at all, if its functions lie in one another without end, if more than 64 jump tables can only be
 * found one after another, or if there is no memory; `why` (a static string) says which. Thread-safe.
 */
int ward_infer(const void *file, size_t size, uint8_t **proof, size_t *proof_size, const char **why);
/*
 * The same, and sooner, with all that is known in the proof: the verdict and its figures are those of the other. For
 * modules that nobody keeps.
 */
int ward_infer_draft(const void *file, size_t size, uint8_t **proof, size_t *proof_size, const char **why);

#endif
