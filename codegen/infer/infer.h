/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Proof inference: finds the facts that the verifier needs, by running the verifier's own step function to a
 * fixpoint. Nothing here is trusted: a mistake can get a good module rejected, but never a bad one accepted. No LLVM.
 */
#ifndef WARD_INFER_H
#define WARD_INFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Infer a proof for the module `file`: a linked module, whose proof section is ignored if it has one. On success
 * returns 0 and sets *proof (free it with free()) and *proof_size: the contents of `.ward.proof`, sealed. The proof
 * leaves out what can't be proven, and the verifier then reports it; so success says nothing about the verdict.
 * Returns -1 if the file is no module, if its functions lie in one another without end, if more than 64 jump tables
 * can only be found one after another, or if there is no memory; `why` (a static string) says which. Thread-safe.
 */
struct ward_infer_options {
	/*
	 * Faster: the proof keeps all claims, whether or not they are needed. The verdict and its figures are the same.
	 * For modules that are verified and thrown away.
	 */
	bool draft;
	/*
	 * Loops in one another may count all their iterations together, up to this number (codegen/llvm/guard/fuel.c):
	 * then that ranks them, and nothing else. 0: none do.
	 */
	uint64_t nest;
};

/* `options`: NULL stands for zeros. */
int ward_infer(const void *file, size_t size, const struct ward_infer_options *options, uint8_t **proof,
	size_t *proof_size, const char **why);

#endif
